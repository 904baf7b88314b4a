import sys,tempfile
sys.path.insert(0,'.')
from pathlib import Path
from collections import Counter
from tests.service.test_door_crash import *
m=Visited(Path(tempfile.mkdtemp()))
r={}
for p in POINTS:
    r[p]=m.killed(p); print(p,r[p],flush=True)
print(m.miscounted())
with m.service.office.database.transaction() as t:
    rows=t.run("SELECT message_id, seat, rcpt, effect FROM outbox")
ids={str(r[0]):r for r in rows}
c=Counter()
for p in m.players:
    for raw in letters_to(m.letters,p.address):
        e=parse(raw); c[str(e["Message-ID"])]+=1
        if ids.get(str(e["Message-ID"]),(0,''))[1]=='' or c[str(e["Message-ID"])]>1: print(p.address, e["Message-ID"], e["Subject"], ids.get(str(e["Message-ID"])))
