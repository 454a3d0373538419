package io.parley.endpoint.internal.frame;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.testkit.ProcessorTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The processor time of control frames is linear in their size. */
class FrameProcessorTimeTest {

    /** A frame has at most 64 KiB, and a field without a value two bytes. */
    private static final int MAX_FIELDS = (64 << 10) / 2;

    @ParameterizedTest
    @CsvSource({
        "HELLO of codecs,          01 50524c59 01 00, 5",
        "HELLO of addresses,       01 50524c59 01 00, 7",
        "ACCEPT of unknown fields, 02 01 00,          99",
        "OPEN of services,         10 01,             1",
        "OPENED of windows,        11 01,             1",
        "REFUSE of texts,          12 01,             2",
        "GOODBYE of texts,         04,                2"
    })
    void fields(String name, String head, int tag) {
        ProcessorTime.assertLinear(name, MAX_FIELDS / 4, n -> {
            ByteBuf frame = Unpooled.buffer();
            for (String octet : head.split(" ")) {
                for (int i = 0; i < octet.length(); i += 2) {
                    frame.writeByte(Integer.parseInt(octet.substring(i, i + 2), 16));
                }
            }
            for (int i = 0; i < n; i++) {
                frame.writeByte(tag).writeByte(0);
            }
            FrameVisitor visitor = new FrameReaderFuzzTest.IgnoringVisitor();
            return () -> catchThrowable(() -> FrameReader.read(frame.duplicate(), visitor));
        });
    }
}
