// The page's colours for what is drawn on a canvas; the style sheet knows the same by name.
import { useEffect, useState } from "preact/hooks";

export interface Theme {
  dark: boolean;
  text: string;
  muted: string;
  line: string;
  surface: string;
  background: string;
  accent: string;
  now: string;
  owner: string;
  free: string;
  series: readonly string[];
}

const LIGHT: Theme = {
  dark: false,
  text: "#1a2330",
  muted: "#566373",
  line: "#dfe4ea",
  surface: "#ffffff",
  background: "#f5f7f9",
  accent: "#0b6e5b",
  now: "#c8281e",
  owner: "#c3cad3",
  free: "#0b6e5b",
  series: ["#0b6e5b", "#c2570c", "#5b4bc4", "#0a6fb8", "#a3195b", "#6b7a12", "#8a5a00", "#3d5a80"],
};

const DARK: Theme = {
  dark: true,
  text: "#e6ecf2",
  muted: "#9dabb9",
  line: "#2b3743",
  surface: "#18202a",
  background: "#10161d",
  accent: "#4fd0ae",
  now: "#ff6b5e",
  owner: "#3b4855",
  free: "#4fd0ae",
  series: ["#4fd0ae", "#f59a55", "#a99cff", "#5cb8f5", "#f27ab0", "#c3d15a", "#e0b04c", "#9db8dc"],
};

const query = matchMedia("(prefers-color-scheme: dark)");

export function useTheme(): Theme {
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const change = (): void => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return dark ? DARK : LIGHT;
}
