"""What cloud-init fills in with jinja: its branches are branches, its values are not known."""

from __future__ import annotations

from nodeworthy.boot.effects import NotUnderstood
from tests.boot.walk.told import file, timeline, told

HEAD = "## template: jinja\n#!/bin/bash\n"


def test_its_branches_are_conditions() -> None:
    script = f"""{HEAD}{{% if v1.distro == "ubuntu" -%}}
echo u > /u
{{%- elif v1.distro == "amzn" %}}
echo a > /a
{{% else %}}
echo e > /e
{{% endif %}}
echo z > /z
"""
    assert told(script) == [
        'writes /u (1 line) if {% if v1.distro == "ubuntu" %}',
        'writes /a (1 line) if not: {% if v1.distro == "ubuntu" %} and {% if v1.distro == "amzn" %}',
        'writes /e (1 line) if not: {% if v1.distro == "ubuntu" %} and not: {% if v1.distro == "amzn" %}',
        "writes /z (1 line)",
    ]


def test_lines_stay_those_of_the_file() -> None:
    script = f"{HEAD}{{% if a %}}\necho 1 > /1\n{{% elif b %}}\necho 2 > /2\n{{% endif %}}\necho 3 > /3\n"
    assert [each.place.line for each in timeline(script).effects] == [4, 6, 8]


def test_its_values_are_not_known() -> None:
    script = f"{HEAD}NAME={{{{ v1.local_hostname | lower }}}}\necho $NAME.local > /etc/hostname\n"
    assert file(script, "/etc/hostname") == "{{ v1.local_hostname | lower }}.local\n"


def test_its_comments_and_settings_are_nothing() -> None:
    assert told(f"{HEAD}{{# modprobe nvidia -#}}\n{{%- set mtu = 9001 %}}\necho 1 > /1\n") == ["writes /1 (1 line)"]


def test_its_loops_may_run_never() -> None:
    script = f"{HEAD}{{% for disk in disks %}}\nmount /dev/{{{{ disk }}}} /mnt\n{{% endfor %}}\n"
    [mount] = told(script)
    assert mount.endswith("if {% for disk in disks %}")


def test_what_else_it_does_is_not_understood() -> None:
    script = f"{HEAD}{{% include 'driver.sh' %}}\n"
    assert [type(each) for each in timeline(script).effects] == [NotUnderstood]


def test_what_never_ends_is_left_as_it_is() -> None:
    assert told(f"{HEAD}echo {{{{ > /1\n") == ["writes /1 (1 line)"]
    assert told(f"{HEAD}{{% if a %}}\necho 1 > /1\n")[-1].startswith("writes /1")
