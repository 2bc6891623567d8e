"""What Ansible's tasks come down to: commands of the shell, each on the line of its task."""

from __future__ import annotations

import pytest

from nodeworthy.boot.playbook import as_script, is_playbook

TASKS = [
    ("- apt: name=kubelet,kubeadm state=present", "apt-get install -y kubelet kubeadm"),
    ("- package: {name: docker}\n- dnf: {name: kubelet}", "yum install -y docker\ndnf install -y kubelet"),
    ("- apt: {name: [ufw, firewalld], state: absent}", "apt-get remove -y ufw firewalld"),
    (
        "- yum: {name: 'kubelet-{{ item }}'}\n  with_items: [1.34.1, 1.34.2]",
        "yum install -y kubelet-1.34.1 kubelet-1.34.2",
    ),
    ("- apt_repository: {repo: 'deb https://a.b/ c d'}", "add-apt-repository -y 'deb https://a.b/ c d'"),
    ("- apt_repository: {repo: 'deb https://a.b/ c d', state: absent}", ""),
    ("- yum_repository: {name: k, baseurl: https://a.b/}", "echo baseurl=https://a.b/ > /etc/yum.repos.d/k.repo"),
    (
        "- ansible.builtin.systemd: {name: kubelet, daemon_reload: true, enabled: yes, state: restarted}",
        "systemctl daemon-reload; systemctl enable kubelet; systemctl restart kubelet",
    ),
    ("- service: {name: ufw, state: stopped, enabled: no}", "systemctl disable ufw; systemctl stop ufw"),
    ("- systemd: {name: swap.target, masked: true}", "systemctl mask swap.target"),
    ("- command: swapoff -a", "( swapoff -a )"),
    ("- command: {cmd: kubeadm init, creates: /etc/kubernetes/admin.conf}", "( kubeadm init )"),
    ("- command: kubeadm init creates=/etc/kubernetes/admin.conf", "( kubeadm init )"),
    ("- command: {argv: [kubeadm, join, 'a b']}", "( kubeadm join 'a b' )"),
    ("- shell: ./install\n  args: {chdir: /opt/k8s}", "( set +e; cd /opt/k8s; ./install )"),
    ("- command: swapoff -a\n  delegate_to: localhost", ""),
    ("- command: swapoff -a\n  delegate_to: '{{ inventory_hostname }}'", "( swapoff -a )"),
    (
        "- command: swapoff -a\n  when: ansible_os_family == 'Debian' and not kept",
        'if [ "$ansible_os_family" = "Debian" ]; then if [ -z "$kept" ]; then ( swapoff -a ); fi; fi',
    ),
    (
        "- command: swapoff -a\n  when:\n  - ansible_facts['distribution'] != 'Ubuntu'",
        'if [ "$ansible_distribution" != "Ubuntu" ]; then ( swapoff -a ); fi',
    ),
    ("- block:\n  - command: swapoff -a\n  when: x", '\nif [ -n "$x" ]; then ( swapoff -a ); fi'),
    ("- copy: {dest: /etc/a, content: 'b c'}", "printf '%s\\n' 'b c' > /etc/a"),
    (
        "- template: {src: config.toml.j2, dest: /etc/x/config.toml}",
        "cp config.toml.j2 /etc/x/config.toml",
    ),
    ("- copy: {src: files/x, dest: /etc/docker/}", ""),
    (
        "- apt: {name: '{{ packages }}'}\n  vars: {packages: ['kubelet={{ of }}', kubeadm], of: 1.34.1-1.1}",
        "apt-get install -y kubelet=1.34.1-1.1 kubeadm",
    ),
    (
        "- block:\n  - service: {name: '{{ item }}', enabled: yes}\n    loop: '{{ units }}'\n  vars: {units: [a, b]}",
        "\nsystemctl enable a; systemctl enable b",
    ),
    (
        "- shell: |\n    echo {{ a | default('z') }}\n    echo {{ b }}{{ c }}\n  vars: {a: 1, b: '{{ b }}', c: !vault x}",
        "( set +e\necho 1\necho {{ b }}{{ c }}\n)",
    ),
    ("- command: 'echo {{ a | upper }} {{ d }}'\n  vars: {a: b}", "( echo {{ a | upper }} {{ d }} )"),
    (
        "- command: containerd config default\n  register: it\n- copy: {content: '{{ it.stdout }}', dest: /etc/c}",
        "( containerd config default )\n\ncontainerd config default > /etc/c",
    ),
    ("- lineinfile: {path: /etc/fstab, regexp: swap, state: absent}", "sed -i -E '\\|swap|d' /etc/fstab"),
    ("- lineinfile: {path: /etc/a, line: b=c}", "echo b=c >> /etc/a"),
    ("- lineinfile: {path: /etc/a, regexp: '^b=', line: b=c}", "sed -i -E 's|^.*^b=.*$|b=c|' /etc/a"),
    ("- replace: {path: /etc/a, regexp: 'b|c', replace: d}", "sed -i -E 's#b|c#d#g' /etc/a"),
    ("- replace: {path: /etc/fstab, regexp: '(?i)swap', replace: ''}", ": edits /etc/fstab '(?i)swap'"),
    ("- file: {path: /etc/a, state: directory}", "mkdir -p /etc/a"),
    ("- file: {path: /swapfile, state: absent}", "rm -rf /swapfile"),
    ("- file: {src: /a, path: /b, state: link}", "ln -sf /a /b"),
    (
        "- modprobe: {name: br_netfilter, persistent: present}",
        "modprobe br_netfilter; echo br_netfilter > /etc/modules-load.d/br_netfilter.conf",
    ),
    ("- modprobe: {name: nouveau, state: absent}", "modprobe -r nouveau"),
    ("- sysctl: {name: vm.a, value: '1'}", "echo vm.a=1 >> /etc/sysctl.conf; sysctl -w vm.a=1"),
    ("- mount: {path: none, fstype: swap, state: absent}", ": edits /etc/fstab none"),
    (
        "- mount: {path: /s, src: 'n:/s', fstype: nfs, opts: _netdev, state: mounted}",
        "echo 'n:/s /s nfs _netdev 0 0' >> /etc/fstab; mount /s",
    ),
    ("- ufw: {state: disabled}", "ufw disable"),
    ("- ufw: {state: enabled, policy: deny, direction: routed}", "ufw default deny routed; ufw --force enable"),
    ("- ufw: {rule: allow, port: '22', proto: tcp}", "ufw allow from any to any port 22 proto tcp"),
    ("- ufw: {rule: allow, from_ip: '{{ pods }}'}", ": ufw"),
    ("- firewalld: {port: 6443/tcp, permanent: yes, state: enabled}", "firewall-cmd --permanent --add-port=6443/tcp"),
    (
        "- firewalld: {zone: trusted, source: 10.42.0.0/16, state: disabled}",
        "firewall-cmd --zone=trusted --remove-source=10.42.0.0/16",
    ),
    ("- get_url: {url: 'https://a.b/c', dest: /opt/c}", "curl -fsSLo /opt/c https://a.b/c"),
    ("- debug: {msg: 'token=abc'}", ": debug"),
    ("- include_tasks: swap.yml", ": include_tasks swap.yml"),
    (
        "- blockinfile: {path: /etc/sysctl.d/k8s.conf, create: true, block: 'net.ipv4.ip_forward = 1'}",
        "printf '%s\\n' 'net.ipv4.ip_forward = 1' >> /etc/sysctl.d/k8s.conf",
    ),
    ("- blockinfile: {path: /etc/hosts, state: absent, block: a}", ": edits /etc/hosts"),
    ("- blockinfile: {path: /etc/hosts, state: absent}", ": edits /etc/hosts"),
]


@pytest.mark.parametrize(("tasks", "script"), TASKS)
def test_a_task_is_a_command_on_its_line(tasks: str, script: str) -> None:
    made = as_script(f"---\n{tasks}\n")
    assert made is not None
    head, *rows = made.rstrip("\n").split("\n")
    assert head == "set -e"
    assert [row for row in rows if row] == [row for row in script.split("\n") if row]
    for row in filter(None, script.split("\n")):
        assert rows.index(row) < tasks.count("\n") + 1


def test_a_block_of_shell_stays_on_its_lines_and_ends_behind_them() -> None:
    text = "- shell: |\n    swapoff -a\n    kubeadm join\n  when: x\n- command: reboot\n"
    assert as_script(text) == 'set -e; if [ -n "$x" ]; then ( set +e\nswapoff -a\nkubeadm join\n); fi\n( reboot )\n\n'


def test_what_a_file_holds_stays_on_its_lines() -> None:
    text = "- copy:\n    dest: /etc/a\n    content: |\n      b\n      c\n    mode: '0600'\n"
    made = (as_script(text) or "").split("\n")
    assert made[2:6] == ["cat > '/etc/a' <<'END_OF_THE_TEXT'", "b", "c", "END_OF_THE_TEXT"]


def test_plays_for_some_hosts_are_conditions_and_those_on_this_machine_are_none() -> None:
    plays = (
        "- hosts: all\n  tasks:\n  - command: a\n- hosts: nodes\n  tasks:\n  - command: b\n"
        "- hosts: localhost\n  tasks:\n  - command: c\n"
    )
    made = (as_script(plays) or "").split("\n")
    assert (made[2], made[5], made[8]) == ("( a )", 'if [ "$group_names" = "nodes" ]; then ( b ); fi', "")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("---\n# nodes\n- name: a\n  ansible.builtin.apt: {name: b}\n", True),
        ("- hosts: all\n  tasks:\n  - shell: a\n", True),
        ("- name: a\n  image: b\n", False),
        ("name: a\nshell: b\n", False),
        ("- name: a\n  shell: b\n  x:\n  - 1\n- apiVersion: v1\n", False),
    ],
)
def test_a_list_with_a_module_is_a_playbook(text: str, is_one: bool) -> None:
    assert is_playbook(text) is is_one


def test_what_is_no_list_of_tasks_has_no_script() -> None:
    assert as_script("a: [") is None
    assert as_script("a: b\n") is None
