from __future__ import annotations

import gc
import os
import signal
import zlib

import pytest

from tests.by_day import DAY, Drawn, draw, today

# Inputs of tests, in two thousand folders: no test is looked for in them.
collect_ignore = ["cases", "turned"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write what the cases really say into their goldens")
    parser.addoption("--require-tools", action="store_true", help="a real program that is missing fails the test")


# Whole stacks and other programs are previewed there, which takes seconds each: `make test-long`.
LONG = (
    "tests/infra/",
    "tests/boot/shell/test_like_bash.py::test_whole",
    "tests/fix/test_every_case.py",
    "tests/lsp/test_bad_input.py",
    "tests/mutants/test_mutants.py::test_a_known_kill",
    "tests/lsp/test_starting.py",
    "tests/install/",
    "tests/node/test_ssm.py",
    "tests/node/test_selecting_groups.py",
    "tests/architecture/test_base_install.py",
    "tests/architecture/test_contributing.py",
    "tests/plan/test_bad_fleets.py::test_resources_that_wait",
    "tests/own_rules/test_rules_test.py",
    "tests/plan/test_infra.py",
    "tests/plan/test_parting.py",
    "tests/plan/test_platform.py",
    "tests/plan/test_strangers.py",
    "tests/plan/test_templated_charts.py",
    "tests/report/test_schema.py::test_a_plan",
    "tests/source/test_bad_input.py::test_a_hundred_thousand_lines",
    "tests/test_patterns.py::test_every_pattern",
    # Programs are previewed and pytest is started, half a second each: of each file, what stands for the rest stays.
    "tests/architecture/test_containerd_paths_stand_once.py::test_no_other_code_spells_one",
    "tests/architecture/test_readme.py::test_a_wrong_socket",
    "tests/architecture/test_readme.py::test_all_of_this_repository",
    "tests/node/test_suite.py::test_a_command_of_a_users_test_has_a_deadline",
    "tests/node/test_suite.py::test_a_recording_that_is_not_there",
    "tests/node/test_suite.py::test_a_users_own_tests",
    "tests/node/test_suite.py::test_an_unknown_and_an_unreached",
    "tests/node/test_suite.py::test_hosts_of_which_nothing",
    "tests/node/test_suite.py::test_hosts_that_are_named_twice",
    "tests/node/test_suite.py::test_the_fleet_is_judged_by_too",
    "tests/node/test_suite.py::test_what_it_can_not_use",
    "tests/node/test_wait.py::test_the_suite_waits_too",
    "tests/plan/test_simulated.py::test_a_program_that_can_not_take",
    "tests/plan/test_simulated.py::test_a_resource_of_the_second_run",
    "tests/plan/test_simulated.py::test_a_value_computed_from",
    "tests/plan/test_simulated.py::test_boot_scripts_are_whole",
    "tests/known/test_agreeing_tables.py::test_efa_is",
    "tests/known/test_agreeing_tables.py::test_how_many_gpus",
    # What is made thousands of times, starts programs again and again, or measures how time grows.
    "tests/architecture/test_import_directions.py",
    "tests/architecture/test_sizes.py::test_functions_are_small",
    "tests/accept/test_meeting.py::test_who_is_missing",
    "tests/accept/test_look.py::test_a_burn_computes",
    "tests/accept/test_look.py::test_who_becomes_too_hot",
    "tests/accept/test_look.py::test_a_lap_that_comes_out_otherwise",
    "tests/boot/shell/test_broken.py::test_eight_times_the_script",
    "tests/boot/test_fuzz_short.py",
    "tests/boot/unpack/test_any_bytes.py::test_any_text_in_a_document",
    "tests/boot/walk/test_failures.py::test_a_long_file",
    "tests/boot/walk/test_templates.py::test_hostile_templates",
    "tests/cloud/test_story.py",
    "tests/cluster/test_any_json.py",
    "tests/cluster/test_one_cause_is_one_finding.py::test_a_large_dump",
    "tests/cluster/test_waiting.py::test_each_pod_for_a_node_of_its_own",
    "tests/engine/test_backstop.py",
    "tests/engine/test_rules_in_folders.py::test_every_check_is_there",
    "tests/facts/test_containerd_config.py::test_steps_under_conditions",
    "tests/fleet/test_command.py::test_five_hundred_pools",
    "tests/fuzz/",
    "tests/hcl/test_hostile.py::test_a_bomb_ends",
    "tests/known/test_evidence.py::test_hostile_lines",
    "tests/known/test_evidence.py::test_none_of_its_expressions",
    "tests/known/test_moments.py::test_a_moments_collector",
    "tests/known/test_secrets.py::test_no_text_takes_long",
    "tests/known/test_tables.py::test_efa_is_as_ec2_tells_it",
    "tests/known/test_tongues.py::test_all_that_is_told_otherwise",
    "tests/known/test_tongues.py::test_no_rule_tells",
    "tests/mutants/test_mutants.py::test_all_that_is_made_of_a_module",
    "tests/mutants/test_mutants.py::test_what_no_function_holds",
    "tests/node/test_firewall.py::test_more_rules_than_can_be_followed",
    "tests/node/test_hostile.py::test_numbers_that_are_none",
    "tests/node/test_nft.py::test_chains_that_lead_to_more_rules",
    "tests/node/test_node_pods.py::test_the_pod_lives",
    "tests/node/test_node_pods.py::test_whoever_ends_it",
    "tests/node/test_suite.py::test_a_test_for_each_host_and_rule",
    "tests/node/test_suite.py::test_everybody_elses_pytest",
    "tests/node/test_suite.py::test_no_host_is_no_success",
    "tests/own_rules/test_bases.py::test_rules_of_ones_own_share_too",
    "tests/own_rules/test_every_fact.py",
    "tests/plan/test_answers.py",
    "tests/plan/test_bad_fleets.py::test_one_that_dies",
    "tests/plan/test_boot_scripts.py::test_every_rule_of_boot_scripts_fails_in_a_plan",
    "tests/plan/test_cycles.py",
    "tests/plan/test_ends.py",
    "tests/plan/test_operator_values.py",
    "tests/plan/test_unknown_provider.py",
    "tests/plan/test_what_a_program_gets.py",
    "tests/policy/test_crashes.py",
    "tests/policy/test_stack_config.py",
    "tests/redaction/test_every_exit.py::test_what_is_none_comes_out",
    "tests/redaction/test_texts.py::test_no_text_takes_long",
    "tests/report/test_formats.py::test_of_every_command[preview]",
    "tests/report/test_github.py::test_ten_thousand_findings",
    "tests/report/test_html.py::test_ten_times_the_findings",
    "tests/report/test_junit.py::test_ten_times_the_findings",
    "tests/report/test_sarif.py::test_ten_times_the_findings",
    "tests/report/test_schema.py::test_a_case_of_every_other_command[preview]",
    "tests/rollout/test_steps.py::test_any_rollout_killed",
    "tests/rollout/test_steps.py::test_killed_at_any_point_it_ends",
    "tests/settings/test_page.py::test_a_rule_of_ones_own",
    "tests/source/test_any_values.py",
    "tests/source/test_boot_scripts.py::test_a_script_that_does_more_than_is_followed",
    "tests/source/test_not_these.py::test_a_folder_that_is_gone",
    "tests/source/test_not_these.py::test_boot_reads_what_a_node_is_given",
    "tests/source/test_odd_files.py::test_lines_that_end_as_on_windows",
    "tests/source/test_streams.py::test_letters_that_a_stream_lacks",
    "tests/source/test_terraform_plan.py::test_a_large_one",
    "tests/source/test_terraform_plan.py::test_nothing_in_it_makes_it_fail",
    "tests/test_same_everywhere.py",
    "tests/userdata/test_rules.py::test_every_rule_passes",
    "tests/userdata/test_shell.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seen: set[tuple[str, str]] = set()
    for item in items:
        if item.nodeid.startswith(LONG) or _is_one_more_case(item.nodeid, seen):
            item.add_marker("long")
    draw([item for item in items if item.get_closest_marker("long")])


def pytest_collection_finish() -> None:
    """The tests stay as long as the process does: nobody need look through them for what may go, least of all while they
    are collected (a tenth of the time that takes)."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _is_one_more_case(test: str, seen: set[tuple[str, str]]) -> bool:
    """Of each rule's cases, all but the first of every kind, of every second rule the first bad one that previews a
    program, and of those that preview none an eighth. It is drawn by their names, so that a new case changes nothing for
    the others."""
    if not test.startswith("tests/test_cases.py::test_case["):
        return False
    rule, _, name = test.partition("[")[2].partition("/")
    is_program = "-plan-" in name or rule == "cloud-matches-plan"
    kind = (rule, f"{name.partition('-')[0]}{' of a program' if is_program else ''}")
    is_first = kind not in seen
    seen.add(kind)
    if is_program:
        return not (is_first and name.startswith("bad-") and zlib.crc32(test.encode()) % 2)
    return not is_first and zlib.crc32(test.encode()) % 8 > 0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: it takes seconds; make test-long runs it")
    config.addinivalue_line("markers", "night: there are hundreds of it; make test-night runs it")
    config.addinivalue_line("markers", "drawn: some of it come by day, all of it by night")
    # Midnight passes for no worker before the others.
    os.environ[DAY] = today()
    config.pluginmanager.register(Drawn())
    # Programs that were built once, and downloads, stay where their user keeps them.
    os.environ.setdefault("USERS_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", ""))
    # No folder can be made there: what a test judges was not judged by one before it, nor by its user.
    os.environ["XDG_CACHE_HOME"] = os.devnull
    os.environ["XDG_STATE_HOME"] = os.devnull
    gc.disable()
    _hear_interrupts()
    _take_time_for_none()


def _take_time_for_none() -> None:
    """How long an example takes to be made says how busy this machine is."""
    from hypothesis import HealthCheck, settings

    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")


def _hear_interrupts() -> None:
    """A shell starts what runs in the background deaf to Ctrl-C, nohup starts it deaf to a closed terminal, and our
    children would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
