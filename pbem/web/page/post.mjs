// The only worker that may speak to hosts. It has no key and sees none: it carries lines of game files in, and signed
// files out, and what two devices of one player say to each other sealed. Nobody learns where a request comes from, and
// no cookie travels.
const MOST = 64 * 1024 * 1024;
const PATIENCE = 30000;

/** The address of an API, checked. @param {string} api */
function address(api) {
  const base = new URL(api);
  const here = base.hostname === "localhost" || base.hostname === "127.0.0.1";
  if (base.protocol !== "https:" && !(base.protocol === "http:" && here)) throw new Error("odd");
  if (base.username || base.password || base.search || base.hash) throw new Error("odd");
  return base.href.replace(/\/+$/, "");
}

/** @param {string} api @param {string} match @param {string} rest */
function place(api, match, rest) {
  if (!/^[A-Za-z0-9_-]{8,43}$/.test(match)) throw new Error("odd");
  return address(api) + "/match/" + match + rest;
}

/** A mailbox of two devices, or a message in it. @param {{ api: string, channel: string, number?: number }} given */
function mailbox({ api, channel, number }) {
  if (!/^[0-9A-Z]{2}$/.test(channel) || !(number === undefined || Number.isInteger(number))) throw new Error("odd");
  return address(api) + "/pair/" + channel + (number === undefined ? "" : "/" + number);
}

/** A signed file has a body and a signature, and nothing that is not in the format. @param {string} text */
function isSigned(text) {
  const file = JSON.parse(text);
  return text.length <= 65536 && typeof file === "object" && file !== null && typeof file.body === "object" && typeof file.sig === "object" && file.sig !== null && Object.keys(file).length === 2;
}

/** @param {Response} answer */
async function read(answer) {
  if (!answer.body) return new Uint8Array(0);
  const reader = answer.body.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST) {
      await reader.cancel();
      throw new Error("long");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {string} url @param {string} code @param {RequestInit} [more] */
async function call(url, code, more = {}) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const answer = await fetch(url, {
      ...more,
      headers: { Authorization: "Bearer " + code, ...(more.headers || {}) },
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal: stop.signal,
    });
    return { status: answer.status, data: await read(answer) };
  } finally {
    clearTimeout(timer);
  }
}

/** @type {Record<string, (given: any) => Promise<{ status: number, data: Uint8Array<ArrayBuffer> }>>} */
const ACTS = {
  async lines({ api, match, code, after, wait = 0 }) {
    if (!Number.isInteger(after) || !Number.isInteger(wait)) throw new Error("odd");
    return call(place(api, match, "/lines?after=" + after + (wait ? "&wait=" + wait : "")), code);
  },
  /** What other seats propose: signed files, one a line. */
  async proposals({ api, match, code }) {
    return call(place(api, match, "/proposals"), code);
  },
  async file({ api, match, code, text }) {
    if (!isSigned(text)) throw new Error("odd");
    return call(place(api, match, "/files"), code, { method: "POST", body: text, headers: { "Content-Type": "application/json" } });
  },
  /** The seat's access code, asked for by its keys. */
  async "access-code"({ api, match, text }) {
    if (!isSigned(text)) throw new Error("odd");
    return call(place(api, match, "/word"), "", { method: "POST", body: text, headers: { "Content-Type": "application/json" } });
  },
  async receipt({ api, match, code, receipt }) {
    if (!/^[0-9a-f]{64}$/.test(receipt)) throw new Error("odd");
    return call(place(api, match, "/files/" + receipt), code);
  },
  /** The host's own key for calls. */
  async "push-key"({ api, match, code }) {
    return call(place(api, match, "").replace(/match\/[^/]*$/, "push/key"), code);
  },
  async push({ api, match, code, text }) {
    if (text.length > 4096) throw new Error("odd");
    return call(place(api, match, "/push"), code, { method: "POST", body: text, headers: { "Content-Type": "application/json" } });
  },
  async "pair-open"({ api, match, code }) {
    return call(place(api, match, "/pair"), code, { method: "POST" });
  },
  async "pair-put"({ ticket, data, ...where }) {
    return call(mailbox(where), ticket, { method: "POST", body: data, headers: { "Content-Type": "application/octet-stream" } });
  },
  async "pair-get"({ ticket, ...where }) {
    return call(mailbox(where), ticket);
  },
  async "pair-end"({ ticket, ...where }) {
    return call(mailbox(where), ticket, { method: "DELETE" });
  },
  async "push-off"({ api, match, code }) {
    return call(place(api, match, "/push"), code, { method: "DELETE" });
  },
  /** Where the own turns are announced besides: kinds of services alone come back. */
  async webhook({ api, match, code }) {
    return call(place(api, match, "/webhook"), code);
  },
  async "webhook-set"({ api, match, code, text }) {
    if (text.length > 4096) throw new Error("odd");
    return call(place(api, match, "/webhook"), code, { method: "POST", body: text, headers: { "Content-Type": "application/json" } });
  },
  async "webhook-off"({ api, match, code }) {
    return call(place(api, match, "/webhook"), code, { method: "DELETE" });
  },
};

/** What went wrong, in one word of ours: the page has a sentence for each. @param {any} fault */
function kind(fault) {
  if (fault?.name === "AbortError") return "slow";
  return ["odd", "long"].includes(fault?.message) ? fault.message : "away";
}

onmessage = async ({ data: { id, act, given } }) => {
  try {
    const answer = await ACTS[act](given);
    postMessage({ id, ...answer }, { transfer: [answer.data.buffer] });
  } catch (fault) {
    postMessage({ id, status: 0, fault: kind(fault), data: new Uint8Array(0) });
  }
};
