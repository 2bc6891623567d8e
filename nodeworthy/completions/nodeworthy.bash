# Generated from nodeworthy's parsers (`make docs`).
# To use it in this shell: source <(nodeworthy completion bash)

_nodeworthy_rules="addresses-left admission-explained allocation-honoured ansible-reads-tasks archives-answer aws-accepts boot-finished capacity-block-placed capacity-lasts checkpoint-resumes claims-resolvable clock-right cloud-matches-plan cluster-supported collectives-fast-enough containerd-config-read containerd-edit-survives containerd-paths database-replicated dcgm-off-profiling-nodes decode-right disk-has-room disks-encrypted driver-capabilities-allowed driver-fits efa-complete fabric-manager-runs failure-is-loud firewall-no-wider fleet-as-built gpu-as-asked gpu-computes-right gpu-count-complete gpu-exists gpu-fast-enough gpu-fits-a-node gpu-metrics-exist gpu-quantity gpu-stack-settled gpus-alike gpus-healthy gpus-not-held-idle hami-capacity-adds-up hami-components-healthy hami-container-limits hami-crash-explained hami-installed-once hami-measured hami-plugin-configured hami-pods-mutated hami-policy-known heredoc-expands-late image-maintained input-readable instance-metadata-guarded joins-its-cluster kernel-log-clean keys-kept-close kubelet-survives-reboot launches-succeed loader-feeds looked-at machine-drives-its-gpus machines-are-nodes maintenance-announced metrics-fit-their-disk munge-has-its-key no-secret-in-plain-sight node-configuration-read node-ports-open nodepool-can-serve nodes-current not-open-to-the-world one-device-plugin one-driver one-toolkit operator-release-works os-fits-cluster packages-of-its-system pending-explained pod-can-use-gpus pod-egress-forwarded pool-size-fixed profiling-before-driver profiling-node-exists profiling-pod-privileged quota-suffices ranks-agree references-resolve refresh-settled registry-resolvable registry-trusted rollout-drains root-opens-its-files rule-crashed runtime-class-agrees service-keeps-its-daemon services-survive-reboot shared-storage-mounted sharing-configured shell-parses slurm-checkpoint-in-time slurm-configuration-read slurm-environment slurm-gpu-as-asked slurm-mig-request slurm-rendezvous slurm-script-found storage-fast-enough suppression-unused toolkit-env-wellformed toolkit-reaches-containerd transport-as-built user-data-format user-data-size verification-yields verified-since-boot"
_nodeworthy_known="a10 a100 a10g a16 a2 a30 a40 a4000 a5000 a6000 a800 addresses-left admission-explained aks allocation-honoured ansible-reads-tasks archives-answer aws-accepts b200 b300 boot-finished bottlerocket capacity-block-placed capacity-lasts checkpoint-resumes claims-resolvable clock-right cloud-matches-plan cluster-supported collectives-fast-enough containerd-config-read containerd-edit-survives containerd-paths crio database-replicated dcgm-off-profiling-nodes decode-right disk-has-room disks-encrypted driver-capabilities-allowed driver-fits efa-complete eks-al2 eks-al2023 eks-ubuntu fabric-manager-runs failure-is-loud firewall-no-wider fleet-as-built gardener gb200 gb300 gh200 gke-cos gke-ubuntu gpu-as-asked gpu-computes-right gpu-count-complete gpu-exists gpu-fast-enough gpu-fits-a-node gpu-metrics-exist gpu-quantity gpu-stack-settled gpus-alike gpus-healthy gpus-not-held-idle h100 h20 h200 h800 hami-capacity-adds-up hami-components-healthy hami-container-limits hami-crash-explained hami-installed-once hami-measured hami-plugin-configured hami-pods-mutated hami-policy-known heredoc-expands-late image-maintained input-readable instance-metadata-guarded joins-its-cluster k0s k3s k80 k8s-snap kernel-log-clean keys-kept-close kops kubeadm kubelet-survives-reboot l20 l4 l40 l40s launches-succeed loader-feeds looked-at m60 machine-drives-its-gpus machines-are-nodes maintenance-announced metrics-fit-their-disk microk8s munge-has-its-key no-secret-in-plain-sight node-configuration-read node-ports-open nodepool-can-serve nodes-current not-open-to-the-world one-device-plugin one-driver one-toolkit operator-release-works os-fits-cluster p100 p4 p40 packages-of-its-system pending-explained pod-can-use-gpus pod-egress-forwarded pool-size-fixed profiling-before-driver profiling-node-exists profiling-pod-privileged quota-suffices ranks-agree references-resolve refresh-settled registry-resolvable registry-trusted rke2 rollout-drains root-opens-its-files rtx-pro-4500 rtx-pro-6000 rtx3090 rtx4000-ada rtx4090 rtx5090 rtx6000 rtx6000-ada rule-crashed runtime-class-agrees service-keeps-its-daemon services-survive-reboot shared-storage-mounted sharing-configured shell-parses slurm-checkpoint-in-time slurm-configuration-read slurm-environment slurm-gpu-as-asked slurm-mig-request slurm-rendezvous slurm-script-found storage-fast-enough suppression-unused t4 t4g talos toolkit-env-wellformed toolkit-reaches-containerd transport-as-built user-data-format user-data-size v100 verification-yields verified-since-boot"

_nodeworthy_stacks() {
    local file
    for file in Pulumi.*.yaml; do
        [[ -e $file ]] || continue
        file=${file#Pulumi.}
        printf '%s\n' "${file%.yaml}"
    done
}

# The words are ours, and bash 3.2 has no mapfile.
# shellcheck disable=SC2207
_nodeworthy_offer() {
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

# Nothing can be offered: not even a file's name.
_nodeworthy_nothing() {
    compopt +o default 2>/dev/null || true
}

_nodeworthy() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    # bash makes words of their own of the sign in --format=json.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        _nodeworthy_offer "check preview audit rollout node lab diagnose accept lsp baseline boot explain rules fleet completion --help --version" "$cur"
        return
    fi
    case ${COMP_WORDS[1]} in
        check)
            case $prev in
                --changed)  return ;;
                --var-file)  return ;;
                --format) _nodeworthy_offer "text json sarif junit github markdown html prometheus" "$cur"; return ;;
                --output)  return ;;
                --also) _nodeworthy_offer "text= json= sarif= junit= github= markdown= html= prometheus=" "$cur"; return ;;
                --rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --skip-rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
                --baseline)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --changed --var-file --fix --dry-run --yes --format --output --also --rule --skip-rule --fleet --stack --strict --no-strict --show-passed --show-skipped --show-unknown --allow-unknown --no-allow-unknown --ignore-suppressions --quiet --no-cache --no-color --rules --no-settings --no-own-rules --baseline" "$cur"
            fi
            ;;
        preview)
            case $prev in
                --answers)  return ;;
                --timeout) _nodeworthy_nothing; return ;;
                --pass-env) _nodeworthy_nothing; return ;;
                --format) _nodeworthy_offer "text json sarif junit github markdown html prometheus" "$cur"; return ;;
                --output)  return ;;
                --also) _nodeworthy_offer "text= json= sarif= junit= github= markdown= html= prometheus=" "$cur"; return ;;
                --rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --skip-rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --no-simulate --answers --ask-aws --run --timeout --pass-env --format --output --also --rule --skip-rule --fleet --stack --strict --no-strict --show-passed --show-skipped --show-unknown --allow-unknown --no-allow-unknown --ignore-suppressions --quiet --no-cache --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        audit)
            case $prev in
                --region) _nodeworthy_nothing; return ;;
                --profile) _nodeworthy_nothing; return ;;
                --endpoint-url) _nodeworthy_nothing; return ;;
                --pool) _nodeworthy_nothing; return ;;
                --state)  return ;;
                --terraform)  return ;;
                --kubernetes) _nodeworthy_nothing; return ;;
                --record)  return ;;
                --from)  return ;;
                --format) _nodeworthy_offer "text json sarif junit github markdown html prometheus" "$cur"; return ;;
                --output)  return ;;
                --also) _nodeworthy_offer "text= json= sarif= junit= github= markdown= html= prometheus=" "$cur"; return ;;
                --rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --skip-rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --region --profile --endpoint-url --pool --state --terraform --kubernetes --record --from --print-policy --format --output --also --rule --skip-rule --fleet --stack --strict --no-strict --show-passed --show-skipped --show-unknown --allow-unknown --no-allow-unknown --ignore-suppressions --quiet --no-cache --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        rollout)
            case $prev in
                --pool) _nodeworthy_nothing; return ;;
                --asg) _nodeworthy_nothing; return ;;
                --node) _nodeworthy_nothing; return ;;
                --region) _nodeworthy_nothing; return ;;
                --profile) _nodeworthy_nothing; return ;;
                --endpoint-url) _nodeworthy_nothing; return ;;
                --context) _nodeworthy_nothing; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --to) _nodeworthy_nothing; return ;;
                --by) _nodeworthy_offer "node refresh" "$cur"; return ;;
                --max-unavailable) _nodeworthy_nothing; return ;;
                --surge) _nodeworthy_offer "auto 0 1" "$cur"; return ;;
                --canary) _nodeworthy_nothing; return ;;
                --drain-timeout) _nodeworthy_nothing; return ;;
                --wait-for-jobs) _nodeworthy_nothing; return ;;
                --join-timeout) _nodeworthy_nothing; return ;;
                --soak) _nodeworthy_nothing; return ;;
                --window) _nodeworthy_nothing; return ;;
                --accept) _nodeworthy_offer "none quick full" "$cur"; return ;;
                --accept-image) _nodeworthy_nothing; return ;;
                --image) _nodeworthy_nothing; return ;;
                --evict) _nodeworthy_nothing; return ;;
                --resume)  return ;;
                --rollback)  return ;;
                --format) _nodeworthy_offer "text json html brief" "$cur"; return ;;
                --output)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --pool --asg --node --region --profile --endpoint-url --context --fleet --stack --to --by --max-unavailable --surge --canary --pause-after-canary --drain-timeout --wait-for-jobs --join-timeout --soak --window --accept --accept-image --allow-unknown --image --evict --keep-labels --no-keep-labels --only-stale --no-only-stale --dry-run --yes --yes-may-lose-capacity --resume --pause --abort --rollback --print-policy --print-role --format --output" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        node)
            case $prev in
                --recheck) _nodeworthy_nothing; return ;;
                --selector) _nodeworthy_nothing; return ;;
                --asg) _nodeworthy_nothing; return ;;
                --via) _nodeworthy_offer "ssm ssh" "$cur"; return ;;
                --pool) _nodeworthy_nothing; return ;;
                --deadline) _nodeworthy_nothing; return ;;
                --wait) _nodeworthy_nothing; return ;;
                --job-deadline) _nodeworthy_nothing; return ;;
                --total-deadline) _nodeworthy_nothing; return ;;
                --max-workers) _nodeworthy_nothing; return ;;
                --record)  return ;;
                --ssh-config)  return ;;
                --ssh-identity-file)  return ;;
                --context) _nodeworthy_nothing; return ;;
                --namespace) _nodeworthy_nothing; return ;;
                --image) _nodeworthy_nothing; return ;;
                --region) _nodeworthy_nothing; return ;;
                --profile) _nodeworthy_nothing; return ;;
                --endpoint-url) _nodeworthy_nothing; return ;;
                --format) _nodeworthy_offer "text json sarif junit github markdown html prometheus" "$cur"; return ;;
                --output)  return ;;
                --also) _nodeworthy_offer "text= json= sarif= junit= github= markdown= html= prometheus=" "$cur"; return ;;
                --rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --skip-rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --recheck --selector --asg --via --pool --deadline --wait --reboot --in-cluster --job-deadline --total-deadline --print-role --taint --dry-run --yes --max-workers --record --ssh-config --ssh-identity-file --context --namespace --image --region --profile --endpoint-url --format --output --also --rule --skip-rule --fleet --stack --strict --no-strict --show-passed --show-skipped --show-unknown --allow-unknown --no-allow-unknown --ignore-suppressions --quiet --no-cache --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        lab)
            case $prev in
                --user-data)  return ;;
                --name) _nodeworthy_nothing; return ;;
                --image) _nodeworthy_offer "debian al2023 al2023-nvidia eks-ubuntu eks-ubuntu-nvidia gpu-node" "$cur"; return ;;
                --only) _nodeworthy_nothing; return ;;
                --jobs) _nodeworthy_nothing; return ;;
                --format) _nodeworthy_offer "text json markdown" "$cur"; return ;;
                --output)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --user-data --name --image --only --jobs --format --output" "$cur"
            else
                _nodeworthy_offer "up faults" "$cur"
            fi
            ;;
        diagnose)
            case $prev in
                --namespace) _nodeworthy_nothing; return ;;
                --context) _nodeworthy_nothing; return ;;
                --max-workers) _nodeworthy_nothing; return ;;
                --prometheus) _nodeworthy_nothing; return ;;
                --record)  return ;;
                --from)  return ;;
                --node) _nodeworthy_nothing; return ;;
                --every) _nodeworthy_nothing; return ;;
                --wait) _nodeworthy_nothing; return ;;
                --chart) _nodeworthy_nothing; return ;;
                --undo)  return ;;
                --format) _nodeworthy_offer "text json sarif junit github markdown html prometheus brief" "$cur"; return ;;
                --output)  return ;;
                --also) _nodeworthy_offer "text= json= sarif= junit= github= markdown= html= prometheus= brief=" "$cur"; return ;;
                --rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --skip-rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --namespace --context --max-workers --prometheus --record --from --ledger --node --print-role --print-collect --watch --every --fix --dry-run --yes --wait --chart --undo --format --output --also --rule --skip-rule --fleet --stack --strict --no-strict --show-passed --show-skipped --show-unknown --allow-unknown --no-allow-unknown --ignore-suppressions --quiet --no-cache --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        accept)
            case $prev in
                --on) _nodeworthy_offer "kubernetes slurm" "$cur"; return ;;
                --from)  return ;;
                --record)  return ;;
                --pool) _nodeworthy_nothing; return ;;
                --selector) _nodeworthy_nothing; return ;;
                --image) _nodeworthy_nothing; return ;;
                --context) _nodeworthy_nothing; return ;;
                --namespace) _nodeworthy_nothing; return ;;
                --queue) _nodeworthy_nothing; return ;;
                --priority-class) _nodeworthy_nothing; return ;;
                --job-deadline) _nodeworthy_nothing; return ;;
                --total-deadline) _nodeworthy_nothing; return ;;
                --window) _nodeworthy_nothing; return ;;
                --max-nodes) _nodeworthy_nothing; return ;;
                --gpus) _nodeworthy_nothing; return ;;
                --python)  return ;;
                --container) _nodeworthy_nothing; return ;;
                --scratch)  return ;;
                --partition) _nodeworthy_nothing; return ;;
                --account) _nodeworthy_nothing; return ;;
                --qos) _nodeworthy_nothing; return ;;
                --reservation) _nodeworthy_nothing; return ;;
                --setup)  return ;;
                --accounting-patience) _nodeworthy_nothing; return ;;
                --level) _nodeworthy_offer "quick full burn" "$cur"; return ;;
                --burn-time) _nodeworthy_nothing; return ;;
                --model)  return ;;
                --download-url) _nodeworthy_nothing; return ;;
                --test) _nodeworthy_nothing; return ;;
                --skip-test) _nodeworthy_nothing; return ;;
                --baseline)  return ;;
                --save-baseline)  return ;;
                --format) _nodeworthy_offer "text json sarif junit github markdown html prometheus" "$cur"; return ;;
                --output)  return ;;
                --also) _nodeworthy_offer "text= json= sarif= junit= github= markdown= html= prometheus=" "$cur"; return ;;
                --rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --skip-rule) _nodeworthy_offer "$_nodeworthy_rules" "$cur"; return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --on --from --dry-run --record --pool --selector --image --context --namespace --queue --priority-class --job-deadline --total-deadline --window --max-nodes --yes-last --print-role --taint --gpus --python --container --scratch --partition --account --qos --reservation --setup --accounting-patience --level --burn-time --model --download-url --without-torch --test --skip-test --baseline --save-baseline --yes --format --output --also --rule --skip-rule --fleet --stack --strict --no-strict --show-passed --show-skipped --show-unknown --allow-unknown --no-allow-unknown --ignore-suppressions --quiet --no-cache --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        lsp)
            case $prev in
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --docs) _nodeworthy_nothing; return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --stdio --fleet --stack --docs" "$cur"
            else
                _nodeworthy_nothing
            fi
            ;;
        baseline)
            case $prev in
                --baseline)  return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --baseline --prune --dry-run --fleet --stack --no-color --rules --no-settings --no-own-rules" "$cur"
            fi
            ;;
        boot)
            case $prev in
                --format) _nodeworthy_offer "text json" "$cur"; return ;;
                --output)  return ;;
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --format --output --fleet --stack --no-color" "$cur"
            fi
            ;;
        explain)
            case $prev in
                --format) _nodeworthy_offer "text json" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --format --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_offer "$_nodeworthy_known" "$cur"
            fi
            ;;
        rules)
            case $prev in
                --format) _nodeworthy_offer "text json" "$cur"; return ;;
                --rules)  return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --update --format --no-color --rules --no-settings --no-own-rules" "$cur"
            else
                _nodeworthy_offer "test" "$cur"
            fi
            ;;
        fleet)
            case $prev in
                --fleet)  return ;;
                --stack) _nodeworthy_offer "$(_nodeworthy_stacks)" "$cur"; return ;;
                --from)  return ;;
                --context) _nodeworthy_nothing; return ;;
                --format) _nodeworthy_offer "text json html" "$cur"; return ;;
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help --fleet --stack --from --context --format --picture" "$cur"
            else
                _nodeworthy_offer "schema infer" "$cur"
            fi
            ;;
        completion)
            case $prev in
            esac
            if [[ $cur == -* ]]; then
                _nodeworthy_offer "-h --help" "$cur"
            else
                _nodeworthy_offer "bash zsh fish" "$cur"
            fi
            ;;
    esac
}

complete -o default -F _nodeworthy nodeworthy
