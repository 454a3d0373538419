package io.parley.codec.compress.internal;

import java.nio.ByteBuffer;

/** Decodes what {@link BitEncoder} has encoded. Other bytes are decoded to meaningless bits. */
final class BitDecoder implements BitCoder {

    private final ByteBuffer in;
    private int low;
    private int high = -1;
    private int number;

    BitDecoder(ByteBuffer in) {
        this.in = in;
        for (int i = 0; i < Integer.BYTES; i++) {
            number = (number << 8) | read();
        }
    }

    @Override
    public int code(int ignored, int probability) {
        int middle = BitEncoder.middle(low, high, probability);
        int bit = Integer.compareUnsigned(number, middle) <= 0 ? 1 : 0;
        if (bit == 1) {
            high = middle;
        } else {
            low = middle + 1;
        }
        while ((low ^ high) >>> 24 == 0) {
            low <<= 8;
            high = (high << 8) | 0xff;
            number = (number << 8) | read();
        }
        return bit;
    }

    private int read() {
        return in.hasRemaining() ? in.get() & 0xff : 0;
    }
}
