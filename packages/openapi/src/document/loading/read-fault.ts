/** A document that can't be read or parsed; the message is the reason, to follow "Cannot read x:". */
export class ReadFault extends Error {
  override readonly name: string = "ReadFault";
}
