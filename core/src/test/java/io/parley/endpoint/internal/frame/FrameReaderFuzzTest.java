package io.parley.endpoint.internal.frame;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.common.internal.WireStatus;
import io.parley.error.PeerFaultException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;

/**
 * Reads the input of a fuzzer as a frame. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=FrameReaderFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class FrameReaderFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        try {
            FrameReader.read(Unpooled.wrappedBuffer(input), new IgnoringVisitor());
        } catch (PeerFaultException e) {
            // the only permitted exception
        }
    }

    static final class IgnoringVisitor implements FrameVisitor {

        @Override
        public void onHello(Hello hello) {}

        @Override
        public void onAccept(Hello hello) {}

        @Override
        public void onReject(WireStatus status) {
            status.toException("fuzz");
        }

        @Override
        public void onGoodbye(WireStatus status) {}

        @Override
        public void onPing(long number) {}

        @Override
        public void onPong(long number) {}

        @Override
        public void onSealed(ByteBuf records) {}

        @Override
        public void onOpen(int handle, Open open) {}

        @Override
        public void onOpened(int handle, Opened opened) {}

        @Override
        public void onRefuse(int handle, WireStatus status, OptionalLong received) {}

        @Override
        public void onEnd(int handle) {}

        @Override
        public void onMessage(int handle, ByteBuf encoded) {}

        @Override
        public void onFirst(int handle, long total, ByteBuf fragment) {}

        @Override
        public void onMore(int handle, ByteBuf fragment) {}

        @Override
        public void onAck(int handle, long count, long credit) {}

        @Override
        public void onCredit(int handle, long bytes) {}

        @Override
        public void onBlocked(int handle) {}

        @Override
        public void onShrink(int handle, long bytes) {}

        @Override
        public void onShrunk(int handle, long bytes) {}
    }
}
