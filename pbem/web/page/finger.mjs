// What a finger, a mouse or the key ? does at a part: a short touch means it, a long one asks what it is. Judged by the
// events' own times: on a busy processor they come late, and the timer before them.

/** A touch of so many milliseconds is held. */
export const HELD = 450;

/**
 * @param {(event: any) => string} partAt
 * @param {{ touch: (part: string) => unknown, about: (part: string, wanted: () => boolean) => unknown, closeAbout: () => unknown }} does
 */
export function fingers(partAt, does) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let part = "";
  let down = 0;
  let held = false; // what it is was asked for: the click that ends this touch means nothing
  let wanted = {};
  const stop = () => {
    clearTimeout(timer);
    removeEventListener("pointerup", lifted, true);
  };
  const ask = (/** @type {string} */ touched) => {
    held = true;
    const mine = (wanted = {});
    void does.about(touched, () => wanted === mine);
  };
  // at the window: by now what it is may lie over the part
  function lifted(/** @type {PointerEvent} */ event) {
    stop();
    const long = event.timeStamp - down >= HELD;
    if (long && !held) ask(part);
    if (long || !held) return;
    wanted = {};
    does.closeAbout();
    does.touch(part);
  }
  return {
    onPointerDown: (/** @type {PointerEvent} */ event) => {
      stop();
      held = false;
      part = partAt(event);
      if (!part || event.button !== 0) return;
      down = event.timeStamp;
      timer = setTimeout(() => ask(part), HELD);
      addEventListener("pointerup", lifted, true);
    },
    onPointerCancel: stop,
    onPointerLeave: () => held || stop(),
    onContextMenu: (/** @type {Event} */ event) => {
      const touched = partAt(event);
      if (!touched) return;
      event.preventDefault();
      stop();
      if (!held) ask(touched);
    },
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      const touched = event.key === "?" ? partAt(event) : "";
      if (touched) void does.about(touched, () => true);
    },
    onClick: (/** @type {MouseEvent} */ event) => {
      const touched = partAt(event);
      if (touched && (!held || event.detail === 0)) does.touch(touched);
      held = false;
    },
  };
}
