// Sends a call, in the era that the client chooses, in one of both, or in both at once.
import type { EraChoice } from "../mcp/endpoint-client.ts";

interface CallButtonsProps {
  verb: string;
  eras: readonly EraChoice[];
  onEras: (eras: readonly EraChoice[]) => void;
}

const choices: readonly { readonly name: string; readonly eras: readonly EraChoice[] }[] = [
  { name: "Automatic", eras: ["auto"] },
  { name: "2026-07-28", eras: ["modern"] },
  { name: "Legacy session", eras: ["legacy"] },
  { name: "Both, to compare", eras: ["modern", "legacy"] },
];

export function CallButtons({ verb, eras, onEras }: CallButtonsProps) {
  return (
    <div className="row call-buttons">
      <button type="submit" className="button button-primary">
        {verb}
      </button>
      <label className="inline">
        <span className="muted small">Era</span>
        <select
          value={eras.join()}
          onChange={({ target }) =>
            onEras(choices.find((choice) => choice.eras.join() === target.value)?.eras ?? ["auto"])
          }
        >
          {choices.map((choice) => (
            <option key={choice.name} value={choice.eras.join()}>
              {choice.name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
