// The cases of deadlines.json, put to the second verifier: node deadlines.mjs FILE prints the names of those that do not hold.

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { Deadlines, instant } from "../../examples/verifier/deadlines.mjs";

const wrong = [];
const { cases } = JSON.parse(readFileSync(argv[2], "utf8"));
for (const { name, deadlines, at, away, silent, due, periods = [], hold } of cases) {
  const policy = new Deadlines(deadlines);
  const spans = away.map(([from, until]) => ({ from: Date.parse(from), until: Date.parse(until) }));
  const who = { silent, resigned: false };
  let asked = Date.parse(at);
  let holds = instant(policy.answer(asked, who, spans)) === due;
  if (hold) holds &&= instant(policy.hold(asked, spans)) === hold;
  for (const [by, limit] of periods) {
    const answer = policy.answer(asked, who, spans);
    asked = policy.limit(answer, who, spans);
    holds &&= instant(answer) === by && instant(asked) === limit;
  }
  if (!holds) wrong.push(name);
}
console.log(JSON.stringify({ asked: cases.length, wrong }));
