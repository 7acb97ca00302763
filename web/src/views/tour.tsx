// A short way around, for those who are here for the first time.
import type { ComponentChildren } from "preact";
import type { Role } from "../api/types";
import { Link } from "../parts/link";

const STEPS: Record<Role, readonly ComponentChildren[]> = {
  user: [
    <>
      <Link to="/submit">Write a job</Link> and ask for a quote: every point is a way to run it, dearer or later. Pick one and accept.
    </>,
    <>
      See it on the <Link to="/schedule">schedule</Link>: dashed is planned and may still move up, filled runs.
    </>,
    <>
      Start from “too much” and ask for its quote: it fits nowhere, and the buttons are the smallest changes that help.
    </>,
    <>
      <Link to="/money">Money</Link> has what each job was charged, and what came back because it ended early.
    </>,
  ],
  owner: [
    <>
      <Link to="/sites">Sites</Link> has your nodes: change a price, or say when nothing is sold. What is reserved keeps its terms.
    </>,
    <>
      The <Link to="/schedule">schedule</Link> shows what of your time is sold, what you use yourself, and what is for sale.
    </>,
    <>
      <Link to="/money">Money</Link> has what you earned, job by job.
    </>,
  ],
  administrator: [
    <>
      <Link to="/schedule">Schedule</Link> is all sites at once: zoom with the wheel, drag, click a job.
    </>,
    <>
      <Link to="/cycles">Cycles</Link> explains every decision: who got what, what was kept ready, who was left out and why.
    </>,
    <>
      <Link to="/policy">Policy</Link> has the rules by which it decides, and <Link to="/people">People</Link> who may do what.
    </>,
  ],
};

export const Tour = ({ role }: { role: Role }) => (
  <details class="card">
    <summary>New here? A short way around</summary>
    <ol>
      {STEPS[role].map((step, index) => (
        <li key={index}>{step}</li>
      ))}
    </ol>
  </details>
);
