package io.parley.endpoint.internal.frame;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.PeerFaultException;
import org.junit.jupiter.api.Tag;

/**
 * Reads whatever a fuzzer thinks of as a frame. To search:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=FrameReaderFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class FrameReaderFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        try {
            FrameReader.read(Unpooled.wrappedBuffer(input), new Anything());
        } catch (PeerFaultException e) {
            // the one answer to bytes that are no frame
        }
    }

    static final class Anything implements FrameVisitor {

        @Override
        public void onHello(Hello hello) {}

        @Override
        public void onAccept(Hello hello) {}

        @Override
        public void onReject(WireStatus refusal) {
            refusal.toException("fuzz");
        }

        @Override
        public void onGoodbye(WireStatus reason) {}

        @Override
        public void onPing(long number) {}

        @Override
        public void onPong(long number) {}

        @Override
        public void onOpen(int handle, ServiceAddress service, String codec) {}

        @Override
        public void onOpened(int handle, long window) {}

        @Override
        public void onRefuse(int handle, WireStatus refusal) {}

        @Override
        public void onEnd(int handle) {}

        @Override
        public void onMessage(int handle, ByteBuf encoded) {}

        @Override
        public void onFirst(int handle, long total, ByteBuf piece) {}

        @Override
        public void onMore(int handle, ByteBuf piece) {}

        @Override
        public void onCredit(int handle, long bytes) {}
    }
}
