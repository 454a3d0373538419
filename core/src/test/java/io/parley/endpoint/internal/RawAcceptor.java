package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.join;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.identity.Identity;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A remote peer that responds to the HELLO of a dialer with frames of a test. */
final class RawAcceptor {

    private final EndpointAddress address;
    private final CompletableFuture<Connection> firstHello = new CompletableFuture<>();
    private volatile List<byte[]> responses = List.of();

    RawAcceptor(EndpointFixture fixture, Identity identity) {
        Transport transport = fixture.transport(identity);
        address = join(transport.listen(EndpointAddress.parse("mem://any"), this::accept))
                .address();
    }

    EndpointAddress address() {
        return address;
    }

    /** Sets the frames of the next connections. */
    void respond(List<byte[]> frames) {
        responses = List.copyOf(frames);
    }

    /** Returns the connection on which the first HELLO has arrived. */
    CompletableFuture<Connection> firstHello() {
        return firstHello;
    }

    private void accept(Connection connection) {
        connection.start(new ConnectionListener() {
            private boolean responded;

            @Override
            public void onFrame(ByteBuf frame) {
                if (!responded) {
                    responded = true;
                    firstHello.complete(connection);
                    responses.forEach(response -> connection.write(Unpooled.copiedBuffer(response), null));
                    connection.flush();
                }
            }

            @Override
            public void onReadComplete() {}

            @Override
            public void onWritable() {}

            @Override
            public void onClosed(@Nullable Throwable cause) {}
        });
    }
}
