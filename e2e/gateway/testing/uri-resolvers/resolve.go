// Which existing files do servers written in Go open for these URIs? Reads {root, uris}, writes a list of paths for each.
package main

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type given struct {
	Root string   `json:"root"`
	Uris []string `json:"uris"`
}

var errScheme = errors.New("another scheme")

func after(uri, prefix string) (string, error) {
	if len(uri) < len(prefix) || !strings.EqualFold(uri[:len(prefix)], prefix) {
		return "", errScheme
	}
	return uri[len(prefix):], nil
}

func parse(uri, scheme string) (*url.URL, error) {
	parsed, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	if parsed.Scheme != scheme {
		return nil, errScheme
	}
	return parsed, nil
}

func readers(root string) []func(uri string) (string, error) {
	ofFile := func(text func(*url.URL) string) func(string) (string, error) {
		return func(uri string) (string, error) {
			parsed, err := parse(uri, "file")
			if err != nil {
				return "", err
			}
			return text(parsed), nil
		}
	}
	ofNotes := func(text func(*url.URL) string) func(string) (string, error) {
		return func(uri string) (string, error) {
			parsed, err := parse(uri, "notes")
			if err != nil {
				return "", err
			}
			return filepath.Join(root, text(parsed)), nil
		}
	}
	trimmed := func(prefix string, base string, decode func(string) (string, error)) func(string) (string, error) {
		return func(uri string) (string, error) {
			rest, err := after(uri, prefix)
			if err != nil {
				return "", err
			}
			decoded, err := decode(rest)
			if err != nil {
				return "", err
			}
			return filepath.Clean(base + decoded), nil
		}
	}
	same := func(text string) (string, error) { return text, nil }
	return []func(string) (string, error){
		ofFile(func(parsed *url.URL) string { return filepath.Clean(parsed.Path) }),
		ofFile(func(parsed *url.URL) string { return parsed.Path }),
		ofFile(func(parsed *url.URL) string { return filepath.FromSlash(path.Clean("/" + parsed.Path)) }),
		ofFile(func(parsed *url.URL) string { return filepath.Clean(parsed.EscapedPath()) }),
		ofFile(func(parsed *url.URL) string { return filepath.Clean(parsed.Host + parsed.Path) }),
		ofFile(func(parsed *url.URL) string { return filepath.Clean(parsed.Opaque) }),
		ofFile(func(parsed *url.URL) string { return filepath.Clean(parsed.ResolveReference(&url.URL{}).Path) }),
		ofFile(func(parsed *url.URL) string { return parsed.JoinPath().Path }),
		trimmed("file://", "", url.PathUnescape),
		trimmed("file://", "", url.QueryUnescape),
		trimmed("file://", "", same),
		trimmed("file:", "", url.PathUnescape),
		trimmed("notes://", root+"/", url.PathUnescape),
		trimmed("notes://", root+"/", same),
		ofNotes(func(parsed *url.URL) string { return parsed.Host + parsed.Path }),
		ofNotes(func(parsed *url.URL) string { return filepath.Join(parsed.Host, path.Clean("/"+parsed.Path)) }),
	}
}

func open(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	// What the kernel opens, not what Abs has cleaned.
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	real, err := filepath.EvalSymlinks(absolute)
	return real, err == nil
}

func main() {
	var input given
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	files := make([][]string, len(input.Uris))
	all := readers(input.Root)
	for index, uri := range input.Uris {
		files[index] = []string{}
		seen := map[string]bool{}
		for _, read := range all {
			name, err := read(uri)
			if err != nil {
				continue
			}
			if found, ok := open(name); ok && !seen[found] {
				seen[found] = true
				files[index] = append(files[index], found)
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(files); err != nil {
		panic(err)
	}
}
