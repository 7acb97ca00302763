// The pieces that views are laid out with.
import type { ComponentChildren } from "preact";

interface CardProps {
  title: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
  class?: string;
}

export const Card = ({ title, children, aside, class: className = "" }: CardProps) => (
  <section class={`card ${className}`}>
    <header>
      <h2>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
);

interface TileProps {
  label: string;
  value: ComponentChildren;
  hint?: ComponentChildren;
  /** For one with more to say than a number. */
  wide?: boolean;
}

export const Tile = ({ label, value, hint, wide = false }: TileProps) => (
  <div class={wide ? "tile wide" : "tile"}>
    <dt>{label}</dt>
    <dd>
      <strong>{value}</strong>
      {hint !== undefined && <small>{hint}</small>}
    </dd>
  </div>
);

/** Names with their values. */
export const Facts = ({ facts }: { facts: [string, ComponentChildren][] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** How much of something is used. */
export const Meter = ({ share, label }: { share: number; label: string }) => (
  <div class="meter" role="meter" aria-label={label} aria-valuenow={Math.round(share * 100)} aria-valuemin={0} aria-valuemax={100}>
    <div style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
  </div>
);
