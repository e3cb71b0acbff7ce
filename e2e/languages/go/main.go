// A server and a client of the Go SDK: `peer serve` serves on stdio, `peer call URL auto|legacy` uses a server at URL and prints
// what came back as JSON. The tools ask in either era: by input_required, or by a request in the middle of the call.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const modernRevision = "2026-07-28"
const legacyRevision = "2025-11-25"

var implementation = &mcp.Implementation{Name: "go-peer", Version: "1.0.0"}

func main() {
	ctx := context.Background()
	var err error
	if os.Args[1] == "serve" {
		err = newServer().Run(ctx, &mcp.StdioTransport{})
	} else {
		err = call(ctx, os.Args[2], os.Args[3])
	}
	if err != nil {
		log.Fatal(err)
	}
}

type greetInput struct {
	Name string `json:"name"`
}

type countInput struct {
	Steps int `json:"steps"`
}

func newServer() *mcp.Server {
	server := mcp.NewServer(implementation, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(_ context.Context, _ *mcp.CallToolRequest, input greetInput) (*mcp.CallToolResult, any, error) {
		return text("hello " + input.Name), nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "count"}, func(ctx context.Context, request *mcp.CallToolRequest, input countInput) (*mcp.CallToolResult, any, error) {
		for step := 1; step <= input.Steps; step++ {
			err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: request.Params.GetProgressToken(),
				Progress:      float64(step),
				Total:         float64(input.Steps),
			})
			if err != nil {
				return nil, nil, err
			}
		}
		return text("counted"), nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, ask)
	mcp.AddTool(server, &mcp.Tool{Name: "folders"}, folders)
	return server
}

func ask(ctx context.Context, request *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
	question := &mcp.ElicitParams{
		Message: "Who are you?",
		RequestedSchema: &jsonschema.Schema{
			Type:       "object",
			Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}},
			Required:   []string{"name"},
		},
	}
	answer, ok := request.Params.InputResponses["who"].(*mcp.ElicitResult)
	if !ok && isModern(request) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": question}}, nil, nil
	}
	if !ok {
		var err error
		if answer, err = request.Session.Elicit(ctx, question); err != nil {
			return nil, nil, err
		}
	}
	return text(fmt.Sprint(answer.Content["name"])), nil, nil
}

func folders(ctx context.Context, request *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
	answer, ok := request.Params.InputResponses["roots"].(*mcp.ListRootsResult)
	if !ok && isModern(request) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"roots": &mcp.ListRootsParams{}}}, nil, nil
	}
	if !ok {
		var err error
		if answer, err = request.Session.ListRoots(ctx, nil); err != nil {
			return nil, nil, err
		}
	}
	var uris []string
	for _, root := range answer.Roots {
		uris = append(uris, root.URI)
	}
	return text(strings.Join(uris, " ")), nil, nil
}

func isModern(request *mcp.CallToolRequest) bool {
	return request.Params.GetMeta()[mcp.MetaKeyProtocolVersion] == modernRevision
}

func text(value string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: value}}}
}

func call(ctx context.Context, url, mode string) error {
	steps := make(chan float64, 100)
	client := mcp.NewClient(implementation, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Grace"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			steps <- request.Params.Progress
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///work"})
	options := &mcp.ClientSessionOptions{}
	if mode == "legacy" {
		options.ProtocolVersion = legacyRevision
	}
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, options)
	if err != nil {
		return err
	}
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	report := map[string]any{"revision": session.InitializeResult().ProtocolVersion, "tools": names}
	for name, arguments := range map[string]map[string]any{
		"greet": {"name": "Ada"}, "count": {"steps": 3}, "ask": {}, "folders": {},
	} {
		params := &mcp.CallToolParams{Name: name, Arguments: arguments}
		params.SetProgressToken(name)
		result, err := session.CallTool(ctx, params)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		report[name] = result.Content[0].(*mcp.TextContent).Text
	}
	heard := []float64{}
	for range 3 {
		heard = append(heard, <-steps)
	}
	report["steps"] = heard
	return json.NewEncoder(os.Stdout).Encode(report)
}
