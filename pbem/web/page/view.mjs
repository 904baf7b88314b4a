// The one place that knows the library which draws: keyed diffing, so that scroll, focus and what was unfolded stay.
import { h, render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import htm from "htm";

export const html = htm.bind(h);
export { h, render, useEffect, useLayoutEffect, useRef, useState };
