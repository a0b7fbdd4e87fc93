package io.poolkeeper.internal.meter;

/**
 * Padding in front of the fields of a subclass, which the virtual machine places after those of its
 * superclass. It separates fields that are written often from their neighbours in memory.
 */
public class Padding {
  /** Fills the gap behind the header, where a small field of a subclass would be placed. */
  int before0;

  long before1;
  long before2;
  long before3;
  long before4;
  long before5;
  long before6;
  long before7;
  long before8;
}
