// Words to everybody and to one: they travel with the next file.
import { askOrNotify } from "./ask.mjs";
import { Area, button, Switch, value } from "./parts.mjs";
import { closeSheet, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

export function talk() {
  const { scene } = read().match;
  if (!scene) return;
  const others = Object.entries(scene.others);
  let nudge = Boolean(scene.nudge);
  const keep = async () => {
    const answer = await askOrNotify({ do: "talk", say: value("talk-all"), tell: Object.fromEntries(others.map(([seat]) => [seat, value(`talk-${seat}`)])), nudge });
    if (answer) closeSheet();
  };
  const before = { all: scene.say, seats: { ...scene.tell } };
  sheet(say("talk"), () => html`${scene.latest && html`<pre class="story">${scene.latest}</pre>`}
    <${Area} id="talk-all" label=${say("talk-all")} rows="2" maxLength="280" defaultValue=${before.all} />
    ${others.map(([seat, name]) => html`<${Area} key=${seat} id=${`talk-${seat}`} label=${say("talk-one", { name })} rows="1" maxLength="280" defaultValue=${before.seats[seat] || ""} />`)}
    ${scene.nudgeable && html`<${Switch} id="nudge" label=${say("nudge", { name: scene.others[scene.nudgeable] })} on=${nudge} act=${(/** @type {boolean} */ on) => {
      nudge = on;
      send("redraw");
    }} />`}
    <p class="note">${say("talk-travels")}</p>
    <div class="ways">${button(say("keep"), keep, { class: "first" })}${button(say("cancel"), closeSheet)}</div>`);
}
