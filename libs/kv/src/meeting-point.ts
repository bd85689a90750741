/** Where a prefill worker can be met by decode workers, for connectors whose legs are asked at once. */
export interface MeetingPoint {
  /** Name or address, an IPv6 one without brackets. */
  host: string;
  port: number;
  /** Of its engine, one for each data-parallel rank; empty where the connector needs none. */
  engineIds: readonly string[];
  tensorRanks: number;
  pipelineRanks: number;
}
