// Where the page begins.
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/frame.css";
import "./style/parts.css";
import "./style/tables.css";
import "./style/forms.css";
import "./style/views.css";
import "./style/plans.css";
import { App } from "./app";

const place = document.getElementById("page");
if (place) render(<App />, place);
