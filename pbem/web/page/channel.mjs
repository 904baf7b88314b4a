// A channel of one's own where friends talk: the host announces there whose turn it is. Its address holds a token: it
// is sent to the host once, and neither kept nor shown here.
import { app, notify } from "./app.mjs";
import { ask, post } from "./ask.mjs";
import { button, Field, value } from "./parts.mjs";
import { sheet, closeSheet } from "./sheet.mjs";
import { apiTrouble, objectOf } from "./trouble.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @param {"channel" | "channel-set" | "channel-off"} act @param {string} [text] @returns {Promise<string[] | null>} null: the person sees why */
async function askChannel(act, text = "") {
  const { api } = await ask({ do: "api", match: app.scene?.match ?? "" });
  if (!api) return null;
  const answer = await post(act, { api: api.url, match: api.match, word: api.word, text });
  const trouble = answer.status === 422 ? say("channel-refused") : answer.status === 404 ? say("channel-no-host") : apiTrouble(answer)?.text;
  const kinds = trouble ? null : objectOf(answer.data)?.kinds;
  if (Array.isArray(kinds)) return kinds.map(String);
  notify(trouble || say("api-login"), { trouble: true });
  return null;
}

/** What is announced where, and a field for one more. */
export async function channel() {
  const kinds = await askChannel("channel");
  if (!kinds) return;
  const done = async (/** @type {"channel-set" | "channel-off"} */ act, text = "") => {
    const now = await askChannel(act, text);
    if (!now) return;
    closeSheet();
    notify(now.length ? say("channel-on", { kinds: now.join(", ") }) : say("channel-none"));
  };
  sheet(say("channel"), () => html`<p>${say("channel-about")}</p><p id="channels">${kinds.length ? say("channel-on", { kinds: kinds.join(", ") }) : say("channel-none")}</p>
    <${Field} id="channel" label=${say("channel-address")} type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" maxLength="1000" placeholder="ntfys://…" />
    <p class="note">${say("channel-who")}</p>
    <div class="ways">${button(say("channel-set"), () => done("channel-set", JSON.stringify({ url: value("channel").trim() })), { class: "first" })}${kinds.length > 0 && button(say("channel-off"), () => done("channel-off"))}${button(say("cancel"), closeSheet)}</div>`);
}
