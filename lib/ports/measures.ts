/**
 * Numbers that a node has measured, such as the compute units of a shape. All instances share them. A number is
 * renewed within ten minutes of its measurement.
 */
export interface Measures {
  /**
   * Returns the number for this key; null when none is known.
   * @param measure asks a node; called only when no number is known, or when it must be renewed
   */
  read(key: string, measure: () => Promise<number | null>): Promise<number | null>;
  write(key: string, value: number): Promise<void>;
}
