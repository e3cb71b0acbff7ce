// JSON in CodeMirror, to read or to edit. It lives in a shadow root: there CodeMirror adopts its style sheets, which the content policy
// of the page allows, instead of writing style elements, which it forbids.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

export interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  /** Makes the text editable. */
  readonly onChange?: (text: string) => void;
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--info)" },
  { tag: tags.string, color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.punctuation, color: "var(--muted)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "transparent", fontSize: "12px", maxHeight: "420px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "18px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--line)", color: "var(--text)", border: "none", padding: "0 6px" },
});

export function JsonEditor({ label, text, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const report = useRef(onChange);
  report.current = onChange;
  const isEditable = onChange !== undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text is written into the editor below.
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const created = new EditorView({
      state: EditorState.create({
        doc: text,
        extensions: extensionsOf(label, isEditable, (value) => report.current?.(value)),
      }),
      parent: root,
      root,
    });
    view.current = created;
    return () => created.destroy();
  }, [label, isEditable]);

  useEffect(() => {
    const current = view.current?.state.doc.toString();
    if (current === undefined || current === text) return;
    view.current?.dispatch({ changes: { from: 0, to: current.length, insert: text } });
  }, [text]);

  return <div className={isEditable ? "code code-editable" : "code"} ref={host} />;
}

function extensionsOf(label: string, isEditable: boolean, onChange: (text: string) => void): Extension[] {
  return [
    ...[lineNumbers(), foldGutter(), bracketMatching(), history(), json(), syntaxHighlighting(colors), theme],
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, ...(!isEditable && { tabindex: "0" }) }),
    // Tab leaves the editor, as keyboard users expect.
    keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
    EditorState.readOnly.of(!isEditable),
    EditorView.editable.of(isEditable),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}
