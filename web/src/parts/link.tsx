// Links inside the page.
import type { ComponentChildren } from "preact";
import { go } from "../route";

interface Props {
  to: string;
  children: ComponentChildren;
  class?: string;
  current?: boolean;
  onGo?: () => void;
}

export function Link({ to, children, class: className, current, onGo }: Props) {
  const follow = (event: MouseEvent): void => {
    // Whoever wants another tab gets one.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
    onGo?.();
  };
  return (
    <a href={to} class={className} aria-current={current ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

export const JobLink = ({ job, id, name }: { job: number; id?: string | undefined; name?: string | null | undefined }) => (
  <Link to={`/jobs/${job}`}>
    {id || job}
    {name ? ` ${name}` : ""}
  </Link>
);
