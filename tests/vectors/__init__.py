"""Public vectors: known answers and the failures they must cause, for anybody's verifier."""
