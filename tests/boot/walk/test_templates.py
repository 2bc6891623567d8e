"""What directives of Terraform, Jinja and Go decide: each branch is walked, under its condition."""

from __future__ import annotations

import time

import pytest

from nodeworthy.boot.conditions import Asks, Condition, Question, always, who_decides
from nodeworthy.boot.effects import Installs
from nodeworthy.boot.unpack import unpack
from nodeworthy.boot.userdata import UserData
from nodeworthy.verdict import Known, Place

BASH = "#!/bin/bash\n"


def read(text: str, name: str = "user-data.sh.tftpl") -> UserData:
    return unpack(text.encode(), Place(path=name), name=name)


def told(text: str, name: str = "user-data.sh.tftpl") -> list[tuple[int | None, str, str]]:
    """Line, effect, conditions."""
    return [
        (each.place.line, type(each).__name__, " and ".join(one.shown() for one in each.conditions))
        for each in read(text, name).timeline.effects
    ]


def test_two_directives_on_one_line() -> None:
    text = f"{BASH}%{{ if a }}%{{ if b ~}}\nmodprobe nvidia\n%{{ endif }}%{{ endif ~}}\nmodprobe overlay\n"
    assert told(text) == [(3, "LoadsModule", "%{ if a } and %{ if b }"), (5, "LoadsModule", "")]


def test_a_whole_command_between_directives() -> None:
    text = f"{BASH}%{{ if a }}modprobe nvidia%{{ else }}modprobe nouveau%{{ endif }}\n"
    assert told(text) == [(2, "LoadsModule", "%{ if a }"), (2, "LoadsModule", "not: %{ if a }")]


def test_what_is_negated_asks_the_same() -> None:
    text = f"{BASH}%{{ if !a }}\nmodprobe nvidia\n%{{ endif }}\n%{{ if a }}\nmodprobe nvidia\n%{{ endif }}\n"
    guards = [each.conditions for each in read(text).timeline.effects]
    assert always(guards) is True


@pytest.mark.parametrize(
    "text",
    [
        "apt-get install -y \\\n%{ if a ~}\n  cuda \\\n%{ endif ~}\n  jq\n",
        'apt-get install -y "\n%{ if a ~}\ncuda\n%{ endif ~}\n"\n',
        "apt-get install -y jq%{ if a } cuda%{ endif }\n",
    ],
)
def test_in_the_middle_of_a_command_it_is_a_hole(text: str) -> None:
    effects = read(BASH + text).timeline.effects
    assert not any(each.conditions for each in effects)
    installs = [each for each in effects if isinstance(each, Installs)]
    assert any(package.holes for each in installs for package in each.packages)


def test_a_program_is_known_by_its_name_whatever_its_folder_is() -> None:
    assert told(f"{BASH}${{folder}}/modprobe nvidia\n") == [(2, "LoadsModule", "")]
    assert told(f"{BASH}${{folder}}/${{program}} nvidia\n") == [(2, "NotUnderstood", "")]


def test_go_in_a_shell_script() -> None:
    text = (
        f"{BASH}{{{{- if .Values.gpu }}}}\nmodprobe nvidia\n{{{{- else if .Values.amd }}}}\nmodprobe amdgpu\n"
        "{{- else }}\nmodprobe nouveau\n{{- end }}\n{{- range .Values.disks }}\nmount {{ . }} /mnt\n{{- end }}\n"
    )
    gpu, amd = "{{ if .Values.gpu }}", "{{ if .Values.amd }}"
    assert told(text, "boot.sh.tmpl") == [
        (3, "LoadsModule", gpu),
        (5, "LoadsModule", f"not: {gpu} and {amd}"),
        (7, "LoadsModule", f"not: {gpu} and not: {amd}"),
        (10, "Mounts", "{{ range .Values.disks }}"),
    ]


def test_braces_of_a_program_are_no_template() -> None:
    text = f"{BASH}docker ps --format '{{{{ .Names }}}}' > /tmp/names\n"
    assert not read(text, "boot.sh").is_braced
    assert not read(text, "boot.sh.tmpl").is_braced


def test_jinja_of_ansible_in_a_shell_script() -> None:
    text = f"{BASH}{{% for h in hosts %}}\nmodprobe nvidia\n{{% else %}}\nmodprobe nouveau\n{{% endfor %}}\n"
    loop = "{% for h in hosts %}"
    assert told(text, "boot.sh.j2") == [(3, "LoadsModule", loop), (5, "LoadsModule", f"not {loop}")]
    assert not read(text, "boot.sh.j2").is_template
    assert told(f"{BASH}{{% raw %}}\nmodprobe {{{{ a }}}}nvidia\n{{% endraw %}}\nmodprobe overlay\n", "a.sh.j2")


def test_gos_blocks_in_a_script_of_whatever_name() -> None:
    text = f"{BASH}{{{{- if .gpu }}}}\nmodprobe nvidia\n{{{{- else }}}}\nmodprobe nouveau\n{{{{- end }}}}\n"
    assert told(text, "boot.sh") == [
        (3, "LoadsModule", "{{ if .gpu }}"),
        (5, "LoadsModule", "not: {{ if .gpu }}"),
    ]
    asked = f"{BASH}docker ps --format '\n{{{{ if .ID }}}}x'\nmodprobe nvidia\n"
    assert [each[1] for each in told(asked, "boot.sh")][-1:] == ["LoadsModule"]


@pytest.mark.parametrize(
    ("name", "opens", "other", "closes", "asked"),
    [
        ("a.yaml.tftpl", "%{ if gpu ~}", "%{ else ~}", "%{ endif ~}", "%{ if gpu }"),
        ("a.yaml.j2", "{% if gpu %}", "{% else %}", "{% endif %}", "{% if gpu %}"),
        ("a.yaml.gotmpl", "{{- if gpu }}", "{{- else }}", "{{- end }}", "{{ if gpu }}"),
    ],
)
def test_in_cloud_config(name: str, opens: str, other: str, closes: str, asked: str) -> None:
    text = (
        f"#cloud-config\nwrite_files:\n{opens}\n  - path: /etc/a\n    content: x\n{closes}\n"
        f"runcmd:\n{opens}\n  - modprobe nvidia\n{other}\n  - [modprobe, nouveau]\n{closes}\n"
        f"  - |\n    modprobe overlay\n{opens}\n    modprobe br_netfilter\n{closes}\n"
    )
    assert told(text, name) == [
        (4, "Writes", asked),
        (9, "LoadsModule", asked),
        (11, "LoadsModule", f"not: {asked}"),
        (14, "LoadsModule", ""),
        (16, "LoadsModule", asked),
    ]


def test_a_key_of_each_branch() -> None:
    text = (
        "#cloud-config\n%{ if gpu ~}\nruncmd:\n  - modprobe nvidia\n"
        "%{ else ~}\nruncmd:\n  - modprobe nouveau\n%{ endif ~}\n"
    )
    assert told(text, "a.yaml.tftpl") == [
        (4, "LoadsModule", "%{ if gpu }"),
        (7, "LoadsModule", "not: %{ if gpu }"),
    ]


Lines = list[tuple[int | None, str | None]]


def written(directives: tuple[str, ...], *lines: str) -> list[tuple[list[str], Lines]]:
    """A file with its first line, others that directives surround, and its last."""
    begins = ["#cloud-config", "write_files:", "  - path: /etc/a", "    content: |", "      a"]
    within = [
        *directives,
        *(f"      {each}" for each in lines),
        *["%{ end ~}".replace("end", _END[each[3:6]]) for each in directives],
    ]
    config = read("\n".join([*begins, *within, "      c", ""]), "a.yaml.tftpl").cloud_config
    assert config is not None
    return [
        ([one.shown() for one in step.guard], [(each.place.line, each.text.known) for each in step.content.lines])  # type: ignore[attr-defined]
        for step in config.steps
    ]


_END = {"if ": "endif", "for": "endfor"}


def test_a_file_is_each_of_those_that_its_directives_make_of_it() -> None:
    assert written(("%{ if b ~}",), "b") == [
        (["%{ if b }"], [(5, "a"), (7, "b"), (9, "c")]),
        (["not: %{ if b }"], [(5, "a"), (9, "c")]),
    ]
    two = written(("%{ if b ~}", "%{ if d ~}"), "b")
    assert [len(lines) for _, lines in two] == [3, 2, 2, 2]


def test_lines_that_are_repeated_or_too_deep_are_holes() -> None:
    assert written(("%{ for b in c ~}",), "b") == [([], [(5, "a"), (7, None), (9, "c")])]
    deep = tuple(f"%{{ if {each} ~}}" for each in "defg")
    [(guard, lines)] = written(deep, "b")
    assert (guard, lines[1][1]) == ([], None)


def test_names_in_braces_wait_for_whoever_fills_them_in_before_cloud_init() -> None:
    body = '{{ limit | default(3) }} {{.Names}} {{ template "base" . }}'
    for head, why in (
        ("#cloud-config", "leaves {{ limit | default(3) }} as it is"),
        ("## template: jinja\n#cloud-config", "a template"),
    ):
        text = f"{head}\nwrite_files:\n  - path: /etc/a\n    content: |\n      {body}\n"
        config = read(text, "a.yaml").cloud_config
        assert config is not None
        (hole, *others) = config.steps[0].content.lines[0].text.holes  # type: ignore[attr-defined]
        assert (hole.shown, why in hole.why) == ("{{ limit | default(3) }}", True)
        assert bool(others) is head.startswith("##")


def test_parts_of_a_multipart() -> None:
    text = (
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n%{ if before ~}\n--//\n'
        "Content-Type: text/x-shellscript\n\n#!/bin/bash\nmodprobe nvidia\n\n%{ endif ~}\n%{~ if args }\n--//\n"
        "Content-Type: application/node.eks.aws\n\n---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
        "spec:\n  kubelet:\n    flags: ${args}\n\n%{~ endif }\n\n--//--\n"
    )
    script, config = (read(text).parts, read(text))[1].parts, read(text)
    assert [[one.shown() for one in each.guard] for each in script] == [["%{ if args }"], ["%{ if before }"]]
    assert told(text)[-1] == (9, "LoadsModule", "%{ if before }")
    assert not any(type(each).__name__ == "NotUnderstood" for each in config.timeline.effects)


def test_in_a_node_config() -> None:
    text = (
        "---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags:\n"
        "      - --v=2\n%{ if a ~}\n      - --node-labels=a=b\n%{ endif ~}\n"
        "%{ if c ~}\n  containerd:\n    config: |\n      version = 3\n%{ endif ~}\n"
    )
    config = read(text, "node.yaml.tftpl").node_config
    assert config is not None
    assert [isinstance(each.state, Known) for each in config.flags] == [True, False]
    assert config.labels == ()
    assert [each.shown() for each in config.guards[0]] == ["%{ if c }"]


def test_what_a_template_decides_is_not_known() -> None:
    asked = Condition(Question("%{ if gpu }", Place(), Asks.STATE), "yes")
    machine = Condition(Question("[ -f /a ]", Place(), Asks.STATE), "yes")
    assert always([(asked,)]) is None
    assert "%{ if gpu }" in who_decides([(asked,)])
    assert always([(machine,)]) is False
    assert always([(asked, machine)]) is False
    assert always([(asked,)], (asked,)) is True


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (BASH + "%{ if a }\n" * 10_000 + "modprobe nvidia\n" + "%{ endif }\n" * 10_000, "a.tftpl"),
        (BASH + "%{ if a }\nmodprobe nvidia\n%{ endif }\n" * 5_000, "a.tftpl"),
        (BASH + "x%{ if a }" * 10_000, "a.tftpl"),
        (BASH + "{% if a %}\n" + "{% elif b %}\nmodprobe nvidia\n" * 5_000 + "{% endif %}\n", "a.sh.j2"),
        ("#cloud-config\nruncmd:\n" + "%{ if a }\n" * 10_000 + "  - modprobe nvidia\n", "a.tftpl"),
        ("#cloud-config\n" + "%{ if a }\nruncmd:\n  - a\n%{ endif }\n" * 3_000, "a.tftpl"),
    ],
)
def test_hostile_templates_take_no_time(text: str, name: str) -> None:
    begins = time.process_time()
    assert read(text, name).timeline is not None
    assert time.process_time() - begins < 15


def test_a_list_that_one_branch_spoils_runs_in_the_other() -> None:
    text = (
        "#cloud-config\nruncmd:\n  - modprobe overlay\n%{ if a ~}\n  - modprobe nvidia\n%{ else ~}\n"
        "  - echo so: far\n  - modprobe nouveau\n%{ endif ~}\n"
    )
    found = [each for each in told(text, "user-data.yaml.tftpl") if each[1] == "LoadsModule"]
    assert found == [(3, "LoadsModule", ""), (5, "LoadsModule", "%{ if a }")]


def test_a_list_that_is_spoilt_in_each_branch_runs_nowhere() -> None:
    text = "#cloud-config\nruncmd:\n  - so: far\n%{ if a ~}\n  - modprobe nvidia\n%{ endif ~}\n"
    assert told(text, "user-data.yaml.tftpl") == []
