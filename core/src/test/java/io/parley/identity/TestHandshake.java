package io.parley.identity;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A TLS handshake of two engines in memory, on the thread of the caller. */
final class TestHandshake {
    private static final int MAX_ROUNDS = 1000;
    private static final int QUIET_ROUNDS = 3;

    private final Side client;
    private final Side server;
    private @Nullable SSLException failure;

    private TestHandshake(SSLEngine client, SSLEngine server) {
        ByteBuffer toServer = ByteBuffer.allocate(256 * 1024);
        ByteBuffer toClient = ByteBuffer.allocate(256 * 1024);
        this.client = new Side(client, toClient, toServer);
        this.server = new Side(server, toServer, toClient);
    }

    /**
     * Runs the handshake until neither engine has data to send. A client of TLS 1.3 completes before the server has
     * verified its certificate, and a failed engine still sends an alert.
     *
     * @throws SSLException the first failure of either engine, with later ones suppressed
     */
    static void run(SSLEngine client, SSLEngine server) throws SSLException {
        client.beginHandshake();
        server.beginHandshake();
        new TestHandshake(client, server).run();
    }

    private void run() throws SSLException {
        int quiet = 0;
        for (int round = 0; quiet < QUIET_ROUNDS; round++) {
            if (round == MAX_ROUNDS) {
                throw new AssertionError("the handshake does not terminate");
            }
            boolean moved = step(client);
            moved |= step(server);
            quiet = moved ? 0 : quiet + 1;
        }
        if (failure != null) {
            throw failure;
        }
        if (client.isHandshaking() || server.isHandshaking()) {
            throw new AssertionError("the handshake makes no progress: client " + client.engine.getHandshakeStatus()
                    + ", server " + server.engine.getHandshakeStatus());
        }
    }

    private boolean step(Side side) {
        try {
            return side.step();
        } catch (SSLException e) {
            side.failures++;
            if (failure == null) {
                failure = e;
            } else if (failure != e) {
                failure.addSuppressed(e);
            }
            return true;
        }
    }

    private static final class Side {
        private static final int MAX_FAILURES = 3;

        private final SSLEngine engine;
        private final ByteBuffer in;
        private final ByteBuffer out;
        private int failures;

        Side(SSLEngine engine, ByteBuffer in, ByteBuffer out) {
            this.engine = engine;
            this.in = in;
            this.out = out;
        }

        boolean isHandshaking() {
            HandshakeStatus status = engine.getHandshakeStatus();
            return status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED;
        }

        boolean step() throws SSLException {
            if (failures == MAX_FAILURES) {
                return false;
            }
            HandshakeStatus before = engine.getHandshakeStatus();
            boolean moved = runTasks();
            if (engine.getHandshakeStatus() != HandshakeStatus.NEED_UNWRAP) {
                SSLEngineResult result = engine.wrap(ByteBuffer.allocate(0), out);
                moved |= result.bytesProduced() > 0;
            }
            if (engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP && !engine.isInboundDone()) {
                // Even without input, because an engine may report a failure only after it has sent its alert.
                in.flip();
                try {
                    SSLEngineResult result = engine.unwrap(in, ByteBuffer.allocate(64 * 1024));
                    moved |= result.bytesConsumed() > 0;
                } finally {
                    in.compact();
                }
            }
            return moved || engine.getHandshakeStatus() != before;
        }

        private boolean runTasks() {
            boolean ran = false;
            while (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                Runnable task = engine.getDelegatedTask();
                if (task == null) {
                    return ran;
                }
                task.run();
                ran = true;
            }
            return ran;
        }
    }
}
