// Answers all input requests of a call or task, one after the other, and sends the answers together.
import { useState } from "react";
import type { InputRequest } from "../admin/admin-api.ts";
import { AnswerForm } from "../forms/answer-form.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useAction } from "./use-action.ts";

interface AnswerDialogProps {
  title: string;
  path: string;
  inputs: Readonly<Record<string, InputRequest>>;
  onClose: () => void;
}

export function AnswerDialog({ title, path, inputs, onClose }: AnswerDialogProps) {
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({});
  const { isBusy, problem, run } = useAction();
  const keys = Object.keys(inputs);
  const open = keys.find((key) => !(key in answers));
  const input = open === undefined ? undefined : inputs[open];

  function answer(result: unknown): void {
    if (open === undefined) return;
    const responses = { ...answers, [open]: result };
    if (keys.every((key) => key in responses)) void run(path, { responses }).then((isDone) => isDone && onClose());
    else setAnswers(responses);
  }

  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {keys.length > 1 && (
        <p className="muted small">
          Question {Object.keys(answers).length + 1} of {keys.length}
        </p>
      )}
      {problem && (
        <p className="banner banner-bad" role="alert">
          {problem}
        </p>
      )}
      {input && (
        <AnswerForm
          key={open}
          input={{ method: input.method, params: input.params }}
          isBusy={isBusy}
          onAnswer={answer}
        />
      )}
      <p className="muted small">You answer in the place of the caller, who gets the result with its next request.</p>
    </Dialog>
  );
}
