/** A tool says no: the message is for the model and whoever it works for. */
export class Refusal extends Error {
  override name = "Refusal";
}
