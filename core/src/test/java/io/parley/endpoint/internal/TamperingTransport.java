package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportServer;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A transport whose dialed connections pass a program in the middle, which may read, drop, repeat, reorder and change each frame. */
final class TamperingTransport implements Transport {

    /** The program in the middle. Called on the event loop of the dialer. */
    interface Middle {

        /**
         * Returns the frames that are forwarded instead of this one; {@code null} to cut the connection.
         *
         * @param toAcceptor whether the dialer sends the frame
         */
        @Nullable
        List<byte[]> forward(boolean toAcceptor, byte[] frame);

        /** Returns whether both ends see the identities that the transport has authenticated. */
        default boolean showsIdentities() {
            return true;
        }

        /** Returns whether frames are passed to the network, as far as their writer knows. */
        default boolean completesWrites() {
            return true;
        }
    }

    private final Transport transport;
    private final Middle middle;

    TamperingTransport(Transport transport, Middle middle) {
        this.transport = transport;
        this.middle = middle;
    }

    @Override
    public Set<String> schemes() {
        return transport.schemes();
    }

    @Override
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        CompletableFuture<Connection> dialed = transport.dial(address, expected);
        CompletableFuture<Connection> tampered =
                dialed.thenApply(connection -> new TamperedConnection(connection, true));
        tampered.whenComplete((connection, failure) -> {
            if (tampered.isCancelled()) {
                dialed.cancel(false);
            }
        });
        return tampered;
    }

    @Override
    public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
        return transport.listen(address, connection -> onAccept.accept(new TamperedConnection(connection, false)));
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return transport.closeAsync();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return transport.whenClosed();
    }

    @Override
    public boolean isClosing() {
        return transport.isClosing();
    }

    @Override
    public void close() {
        transport.close();
    }

    private final class TamperedConnection implements Connection {

        private final Connection connection;
        private final boolean tampered;

        TamperedConnection(Connection connection, boolean tampered) {
            this.connection = connection;
            this.tampered = tampered;
        }

        private List<byte[]> forward(boolean toAcceptor, ByteBuf frame) {
            byte[] bytes = ByteBufUtil.getBytes(frame);
            List<byte[]> forwarded = tampered ? middle.forward(toAcceptor, bytes) : List.of(bytes);
            if (forwarded == null) {
                connection.abort(new IOException("cut"));
                return List.of();
            }
            return forwarded;
        }

        @Override
        public void start(ConnectionListener listener) {
            connection.start(new ConnectionListener() {
                @Override
                public void onFrame(ByteBuf frame) {
                    forward(false, frame).forEach(bytes -> listener.onFrame(Unpooled.wrappedBuffer(bytes)));
                }

                @Override
                public void onReadComplete() {
                    listener.onReadComplete();
                }

                @Override
                public void onWritable() {
                    listener.onWritable();
                }

                @Override
                public void onClosed(@Nullable Throwable cause) {
                    listener.onClosed(cause);
                }
            });
        }

        @Override
        public void write(ByteBuf frame, @Nullable WriteListener done) {
            List<byte[]> forwarded;
            try {
                forwarded = forward(true, frame);
            } finally {
                frame.release();
            }
            forwarded.forEach(bytes -> connection.write(Unpooled.wrappedBuffer(bytes), null));
            if (done != null && middle.completesWrites()) {
                connection.executor().execute(() -> done.onWritten(null));
            }
        }

        @Override
        public EndpointAddress remoteAddress() {
            return connection.remoteAddress();
        }

        @Override
        public boolean isDialer() {
            return connection.isDialer();
        }

        @Override
        public @Nullable PeerId authenticatedPeer() {
            return middle.showsIdentities() ? connection.authenticatedPeer() : null;
        }

        @Override
        public EventExecutor executor() {
            return connection.executor();
        }

        @Override
        public ByteBufAllocator allocator() {
            return connection.allocator();
        }

        @Override
        public void flush() {
            connection.flush();
        }

        @Override
        public boolean isWritable() {
            return connection.isWritable();
        }

        @Override
        public void setReading(boolean reading) {
            connection.setReading(reading);
        }

        @Override
        public void completeHandshake(int maxFrameBytes) {
            connection.completeHandshake(maxFrameBytes);
        }

        @Override
        public void close() {
            connection.close();
        }

        @Override
        public void abort(@Nullable Throwable cause) {
            connection.abort(cause);
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return connection.whenClosed();
        }
    }
}
