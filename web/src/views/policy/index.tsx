// The VO's rules, as they are, and for administrators what changes them.
import { api, ask } from "../../api/client";
import type { Me, Policy } from "../../api/types";
import { useData } from "../../live/data";
import { administers } from "../../live/session";
import { Card, Facts } from "../../parts/card";
import { exactly } from "../../parts/format";
import { Shown } from "../../parts/states";
import { Assigning } from "./assigning";
import { Change } from "./change";

export function PolicyView({ who }: { who: Me }) {
  // What is read loses how long its lists are.
  const read = () => ask(api.GET("/v1/policy")) as Promise<Policy>;
  const data = useData(read, [], { on: (event) => event.kind === "policy-set" });
  return (
    <>
      <h1>Policy</h1>
      <Shown data={data}>
        {(policy) => (
          <>
            <p class="quiet">
              Times are in seconds, money in credits, shares between 0 and 1. <a href="/docs">The API</a> says what each rule means.
            </p>
            <div class="stacks">
              {groupsOf(policy).map(([name, facts]) => (
                <Card title={name} key={name}>
                  <Facts facts={facts} />
                </Card>
              ))}
            </div>
            {administers(who.role) && (
              <>
                <Assigning now={policy.assign ?? "windows"} done={data.reload} />
                <Change policy={policy} done={data.reload} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

const nameOf = (key: string): string => key.replaceAll("_", " ");
const titleOf = (key: string): string => nameOf(key.charAt(0).toUpperCase() + key.slice(1));

function valueOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return exactly(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A rule with its value; of a rule that has parts, each part. */
function factsOf(key: string, value: unknown): [string, string][] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [[nameOf(key), valueOf(value)]];
  return Object.entries(value).map(([inner, of]) => [`${nameOf(key)}: ${nameOf(inner)}`, valueOf(of)]);
}

/** Plain rules together, and every group of rules by itself. */
function groupsOf(policy: Policy): [string, [string, string][]][] {
  const plain: [string, string][] = [];
  const groups: [string, [string, string][]][] = [["Rules", plain]];
  for (const [key, value] of Object.entries(policy)) {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      groups.push([titleOf(key), Object.entries(value).flatMap(([inner, of]) => factsOf(inner, of))]);
    } else {
      plain.push([nameOf(key), valueOf(value)]);
    }
  }
  return groups;
}
