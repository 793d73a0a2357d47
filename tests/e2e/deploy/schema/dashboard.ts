// What Grafana takes as a dashboard of the panels that Stowage's have.
//
//   const fleet: StowageDashboard = { ...the file's JSON };
//
// Grafana's own types say what it has in memory: enums, and every option with a
// value. A file has the values of enums, and leaves out what is as by default.
import type {
  AnnotationQuery,
  Dashboard,
  DataTransformerConfig,
  FieldConfig,
  FieldConfigSource,
  Panel,
  RowPanel,
} from "@grafana/schema";
import type { Options as StatOptions } from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type {
  FieldConfig as TableFields,
  Options as TableOptions,
} from "@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen";
import type {
  FieldConfig as SeriesFields,
  Options as SeriesOptions,
} from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
import type { Dataquery } from "@grafana/grafana-foundation-sdk/prometheus";

// The JSON of a T: values of enums, not their names.
type Json<T> = T extends string
  ? `${T}`
  : T extends number
    ? number extends T
      ? number
      : `${T}` extends `${infer Value extends number}`
        ? Value
        : never
    : T extends object
      ? { [Key in keyof T]: Json<T[Key]> }
      : T;

type Sparse<T> = T extends Array<infer Item>
  ? Array<Sparse<Item>>
  : T extends object
    ? { [Key in keyof T]?: Sparse<T[Key]> }
    : T;

type Query = Required<Pick<Dataquery, "expr" | "legendFormat" | "refId">> &
  Omit<Dataquery, "_implementsDataqueryVariant">;

type Fields<Custom> = Omit<FieldConfigSource, "defaults"> & {
  defaults: Omit<FieldConfig, "custom"> & { custom?: Custom };
};

type PanelOf<Type, Options, Custom> = Json<
  Omit<Panel, "type" | "options" | "fieldConfig" | "targets" | "transformations"> & {
    type: Type;
    options: Sparse<Options>;
    fieldConfig: Fields<Sparse<Custom>>;
    targets: Query[];
    transformations?: DataTransformerConfig[];
  }
>;

type StowagePanel =
  | PanelOf<"stat", StatOptions, never>
  | PanelOf<"table", TableOptions, TableFields>
  | PanelOf<"timeseries", SeriesOptions, SeriesFields>
  | Json<Omit<RowPanel, "type"> & { type: "row" }>;

// Grafana's plug-in for Prometheus has these two beside the query.
type Annotation = Json<
  Omit<AnnotationQuery, "target"> & { target: Omit<Query, "legendFormat"> }
> & { titleFormat?: string; textFormat?: string };

export type StowageDashboard = Json<Omit<Dashboard, "annotations" | "panels">> & {
  annotations: { list: Annotation[] };
  panels: StowagePanel[];
};
