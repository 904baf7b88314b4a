"""The referee: pure rulings on a record. Bytes and a time go in; records to append come out.

``receive`` rules on one file of a player, ``rule_message`` on one that is read already; ``perform_default``,
``extend``, ``burn``, ``end_early`` are what the host may do of their own accord, each refused unless it is due. Nothing
here reads a clock or a disk: the caller commits what comes back in one step, and only then sends anything.

In: rulings on files, the host's own acts, the draft of new lines, genesis. Out: judging what anybody can see
(``pbem.protocol.record.verifier``), committing and writing emails (``pbem.host``). Called by: api, cli, host,
host.service, practice, seat, world.
"""

from pbem.protocol.referee.draft import receive as receive
from pbem.protocol.referee.draft import rule_message as rule_message
from pbem.protocol.referee.genesis import MatchPlan as MatchPlan
from pbem.protocol.referee.genesis import create_match as create_match
from pbem.protocol.referee.host_acts import after_outage as after_outage
from pbem.protocol.referee.host_acts import burn as burn
from pbem.protocol.referee.host_acts import carry_on as carry_on
from pbem.protocol.referee.host_acts import carry_out as carry_out
from pbem.protocol.referee.host_acts import end_early as end_early
from pbem.protocol.referee.host_acts import extend as extend
from pbem.protocol.referee.host_acts import give_time as give_time
from pbem.protocol.referee.host_acts import perform_default as perform_default
from pbem.protocol.referee.host_acts import reseal as reseal
from pbem.protocol.referee.host_acts import retake as retake
from pbem.protocol.referee.host_acts import substitute as substitute
from pbem.protocol.referee.host_acts import withdraw as withdraw
from pbem.protocol.referee.ruling import Accepted as Accepted
from pbem.protocol.referee.ruling import Departed as Departed
from pbem.protocol.referee.ruling import Held as Held
from pbem.protocol.referee.ruling import Ignored as Ignored
from pbem.protocol.referee.ruling import Quarantined as Quarantined
from pbem.protocol.referee.ruling import Refused as Refused
from pbem.protocol.referee.ruling import Repeated as Repeated
from pbem.protocol.referee.ruling import Ruling as Ruling
from pbem.protocol.referee.ruling import Unchanged as Unchanged
from pbem.protocol.referee.ruling import Unrecorded as Unrecorded
