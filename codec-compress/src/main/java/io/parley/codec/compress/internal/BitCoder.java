package io.parley.codec.compress.internal;

/** Codes bits by their probabilities. One side encodes them, the other one decodes the same bits with the same probabilities. */
interface BitCoder {

    /**
     * Encodes or decodes a bit.
     *
     * @param bit         the bit; ignored by a decoder
     * @param probability that the bit is 1, in 65,536ths; from 1 to 65,535
     * @return the bit
     */
    int code(int bit, int probability);
}
