package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkjson"
)

type request struct {
	Source  string          `json:"source"`
	Options map[string]bool `json:"options"`
}

type reply struct {
	Output string `json:"output"`
	Error  string `json:"error"`
	Trace  string `json:"trace"`
}

func run(r request) (out reply) {
	var buf strings.Builder
	thread := &starlark.Thread{Name: "main", Print: func(_ *starlark.Thread, msg string) { buf.WriteString(msg); buf.WriteByte('\n') }}
	thread.SetMaxExecutionSteps(20000000)
	resolve.AllowFloat = true
	resolve.AllowSet = r.Options["set"]
	resolve.AllowLambda = true
	resolve.AllowNestedDef = true
	resolve.AllowRecursion = r.Options["while"]
	resolve.AllowGlobalReassign = r.Options["toplevel"]
	predeclared := starlark.StringDict{"json": starlarkjson.Module}
	_, err := starlark.ExecFile(thread, "p.star", r.Source, predeclared)
	out.Output = buf.String()
	if err != nil {
		out.Error = err.Error()
		if ev, ok := err.(*starlark.EvalError); ok {
			out.Trace = ev.Backtrace()
		}
	}
	return
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	w := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		data, _ := json.Marshal(run(r))
		w.Write(data)
		w.WriteByte('\n')
		w.Flush()
	}
}
