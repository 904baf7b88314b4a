"""Scenarios: executable rules questions (schemas/scenario.schema.json).

``run_scenario`` answers one parsed scenario, ``run_paths`` all scenarios of files and folders. Nothing here
knows a game: positions, actions, events and views go through the game's own codecs, and what the runner says
about single members is little: hands are multisets, ``used_boxes`` is a set.

::

    results = list(run_paths([Path("tests/scenarios")]))
    for result in results:
        print(result.line())
    print(summary(results))

In: reading, running and judging scenarios. Out: the questions (``tests/scenarios``), the games' codecs. Called by:
cli.
"""

from pbem.protocol.scenario.run import ScenarioResult as ScenarioResult
from pbem.protocol.scenario.run import find_scenarios as find_scenarios
from pbem.protocol.scenario.run import results_to_json as results_to_json
from pbem.protocol.scenario.run import run_file as run_file
from pbem.protocol.scenario.run import run_paths as run_paths
from pbem.protocol.scenario.run import run_scenario as run_scenario
from pbem.protocol.scenario.run import summary as summary
