// Chooses between the theme of the system, light and dark.
import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import { Monitor, Moon, Sun } from "lucide-react";
import { chooseTheme, type Theme, useTheme } from "./theme.ts";

const themes = [
  { theme: "system", name: "Theme of the system", icon: Monitor },
  { theme: "light", name: "Light theme", icon: Sun },
  { theme: "dark", name: "Dark theme", icon: Moon },
] as const;

export function ThemeSwitch() {
  const theme = useTheme();
  return (
    <ToggleGroup
      className="theme-switch"
      aria-label="Theme"
      value={[theme]}
      onValueChange={([chosen]) => {
        if (chosen !== undefined) chooseTheme(chosen as Theme);
      }}
    >
      {themes.map(({ theme: value, name, icon: Icon }) => (
        <Toggle key={value} value={value} aria-label={name} title={name} className="icon-button">
          <Icon size={14} aria-hidden="true" />
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
