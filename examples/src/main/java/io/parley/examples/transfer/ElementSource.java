package io.parley.examples.transfer;

import io.parley.message.MessageElement;

/** A source of the elements of the other peer. */
interface ElementSource {

    /** Returns the next element; waits for it. */
    MessageElement next() throws InterruptedException;
}
