// Requests to the service: typed by its description, refusals and silence told apart.
import createClient from "openapi-fetch";
import { mark, unknown } from "../live/reach";
import type { paths } from "./schema";

/** What the service answers when it refuses. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** No answer came. */
export class Away extends Error {
  constructor() {
    super("The service does not answer.");
  }
}

/** Without this header the service takes no change from a browser: no form of another site can send it. */
const OWN = { "X-Walras-Page": "1" };

export const api = createClient<paths>({ baseUrl: location.origin, headers: OWN });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What a request is answered with; throws what it is refused with. */
export async function ask<T>(request: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await request;
  } catch {
    mark("away");
    throw new Away();
  }
  mark("here");
  if (answer.data !== undefined) return answer.data;
  if (answer.response.status === 401) unknown.set(unknown.value + 1);
  throw refusal(answer.response.status, answer.error);
}

function refusal(status: number, error: unknown): Refusal {
  const told = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const code = typeof told["code"] === "string" ? told["code"] : "unknown";
  const message = typeof told["message"] === "string" ? told["message"] : `The service refused (${status}).`;
  return new Refusal(status, code, message);
}

/** A name for a request, so that repeating it does nothing twice. */
export function freshKey(): Record<"Idempotency-Key", string> {
  return { "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") };
}

/** An error in words. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "Something went wrong.";
  const text = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
