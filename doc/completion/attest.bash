# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of attest for bash.  Options come from the program's own --help and names from
# attest --list, so nothing here needs an edit when the program learns something.
_attest() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} kind=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest --list commands 2>/dev/null) --help --version --list" -- "$word")
        return
    fi
    case $before in
        --encoding) kind=encodings ;;
        --step) kind=steps ;;
        --rho) kind=rhos ;;
        --task) kind=tasks ;;
        --optimizer) kind=optimizers ;;
        --function) kind=functions ;;
        --terminal) kind=terminals ;;
        --figure) kind=figures ;;
        --list) kind= ; mapfile -t COMPREPLY < <(compgen -W "$(attest --list 2>/dev/null)" -- "$word"); return ;;
        --preset) mapfile -t COMPREPLY < <(compgen -W "quick small paper" -- "$word"); return ;;
    esac
    if [ -n "$kind" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest --list "$kind" 2>/dev/null)" -- "$word")
    elif [ "${COMP_WORDS[1]}" = verify ] && [ "${word#-}" = "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest --list claims 2>/dev/null)" -- "$word")
    elif [ "${word#-}" != "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest "${COMP_WORDS[1]}" --help 2>/dev/null |
            grep -o -e '--[a-z][a-z-]*' | sort -u)" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -o bashdefault -F _attest attest
