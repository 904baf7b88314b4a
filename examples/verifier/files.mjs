// The players' files inside records.

// Records with a join: it brings somebody into a seat.
export const NEWCOMERS = new Set(["join", "substitute", "retake"]);

// The players' files inside a record, with the kind each is signed as.
export function messagesOf({ kind, body }) {
  const files = (body.consents ?? []).map((file) => ({ kind: "consent", file }));
  if (body.msg) files.push({ kind: NEWCOMERS.has(kind) ? "join" : kind, file: body.msg });
  return files;
}
