package io.poolkeeper.internal.meter;

/**
 * Room in front of the fields of a subclass, which a virtual machine lays out behind those of its
 * superclass: what lies before it in memory is not in the cache line of what is written often.
 */
public class Padding {
  /** Fills the gap behind the header, where the machine would put a small field of a subclass. */
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
