// The job that is chosen in the schedule: what its outlines mean, in words.
import type { Alternative, PlaceOf, Places } from "../../api/types";
import { Card } from "../../parts/card";
import { clockOf, moneyOf, plural } from "../../parts/format";
import { Link } from "../../parts/link";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";

const whereOf = (places: readonly PlaceOf[]): string => [...new Set(places.map((place) => (place.node ? `${place.site}/${place.node}` : place.site)))].join(", ");

export function Chosen({ places, name, leave }: { places: Places; name: string; leave: () => void }) {
  const alternatives = places.alternatives.map((alternative, index) => ({ ...alternative, number: index + 1 }));
  const path = places.parts.filter((part) => part.critical && part.planned).sort((one, other) => startOf(one.planned) - startOf(other.planned));
  return (
    <Card
      title={`Job ${places.job} ${name}`}
      class="chosen"
      aside={
        <span class="actions">
          <Link to={`/jobs/${places.job}`} class="button">
            Open the job
          </Link>
          <button type="button" onClick={leave}>
            Let go
          </button>
        </span>
      }
    >
      {path.length > 0 && (
        <p>
          Its end hangs on {path.map((part) => part.task ?? `part ${part.part}`).join(", then ")}; {plural(places.transfers.length, "transfer")} in all.
        </p>
      )}
      {alternatives.length === 0 ? (
        <Empty>It could run nowhere else now, or it has begun.</Empty>
      ) : (
        <Table
          label="Where else it could run"
          rows={alternatives}
          keyOf={(alternative) => alternative.number}
          columns={[
            { name: "Outline", cell: (alternative) => alternative.number },
            { name: "From", cell: (alternative) => clockOf(alternative.start) },
            { name: "To", cell: (alternative) => clockOf(alternative.finish) },
            { name: "Where", cell: (alternative) => whereOf(alternative.places) },
            { name: "Credits", right: true, cell: (alternative) => moneyOf(alternative.cost) },
            { name: "What", cell: kindOf },
          ]}
        />
      )}
    </Card>
  );
}

const kindOf = (alternative: Alternative): string => (alternative.spare ? "kept ready by the plan" : "for sale now");

const startOf = (place: PlaceOf | null | undefined): number => (place ? Date.parse(place.start) : 0);
