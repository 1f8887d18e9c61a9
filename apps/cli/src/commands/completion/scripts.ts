/** The shells that have a script. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof shells)[number];

/**
 * The scripts. Each asks `toolweave completion --candidates=CURRENT -- WORDS` for lines of a candidate, a tab and a
 * description, and completes files if there are none. No script evaluates a typed word.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of toolweave for bash. In ~/.bashrc: source <(toolweave completion bash)
_toolweave() {
  local IFS=$'\\n'
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(toolweave completion "--candidates=$current" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null | cut -f 1))
}
complete -o default -F _toolweave toolweave
`,
  zsh: `#compdef toolweave
# Completion of toolweave for zsh. In ~/.zshrc, after compinit: source <(toolweave completion zsh)
_toolweave() {
  local -a lines candidates
  local line
  lines=("\${(@f)$(toolweave completion "--candidates=\${words[CURRENT]}" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  for line in $lines; do
    candidates+=("\${line%%$'\\t'*}:\${line#*$'\\t'}")
  done
  if (( \${#candidates} )); then
    _describe 'toolweave' candidates
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _toolweave ]]; then
  _toolweave "$@"
else
  compdef _toolweave toolweave
fi
`,
  fish: `# Completion of toolweave for fish. Once: toolweave completion fish > ~/.config/fish/completions/toolweave.fish
function __toolweave_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (toolweave completion "--candidates=$current" -- $words[2..-1] 2>/dev/null)
    if test (count $lines) -gt 0
        printf '%s\\n' $lines
    else
        __fish_complete_path "$current"
    end
end
complete -c toolweave -f -a '(__toolweave_candidates)'
`,
  powershell: `# Completion of toolweave for PowerShell. In $PROFILE:
#   toolweave completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName toolweave -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements |
    Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { $_.ToString() })
  toolweave completion "--candidates=$wordToComplete" -- @words 2>$null | ForEach-Object {
    $value, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
  }
}
`,
};
