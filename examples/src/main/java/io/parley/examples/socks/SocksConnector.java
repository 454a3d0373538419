package io.parley.examples.socks;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.forward.OnwardConnector;
import io.parley.sockets.PeerSocket;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.ServiceHost;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects SOCKS5 clients to the services of peers. Thread-safe. */
public final class SocksConnector implements OnwardConnector {

    /** The maximum number of clients that have not sent their request. A further one is closed. */
    public static final int MAX_NEGOTIATIONS = 64;

    /** The time for the request of a client. */
    public static final Duration NEGOTIATION_TIMEOUT = Duration.ofSeconds(10);

    /** The bytes that a refused client may have sent beyond its request. They are read so that the client gets the reply. */
    static final int MAX_DISCARDED_BYTES = 64 * 1024;

    /** The time for which they are read. */
    static final Duration DISCARD_TIMEOUT = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(SocksConnector.class);

    private final PeerSockets sockets;
    private final Duration connectTimeout;
    private final Duration negotiationTimeout;
    private final int maxNegotiations;
    private final Semaphore negotiations;

    /** @param connectTimeout time for the search for a service and the connect */
    public SocksConnector(PeerSockets sockets, Duration connectTimeout) {
        this(sockets, connectTimeout, MAX_NEGOTIATIONS, NEGOTIATION_TIMEOUT);
    }

    SocksConnector(PeerSockets sockets, Duration connectTimeout, int maxNegotiations, Duration negotiationTimeout) {
        this.sockets = sockets;
        this.connectTimeout = connectTimeout;
        this.maxNegotiations = maxNegotiations;
        this.negotiationTimeout = negotiationTimeout;
        this.negotiations = new Semaphore(maxNegotiations);
    }

    @Override
    public Socket connect(Socket accepted) throws IOException {
        DeadlineInputStream in = new DeadlineInputStream(accepted, negotiationTimeout);
        SocksNegotiator negotiator = new SocksNegotiator(in, accepted.getOutputStream());
        try {
            return connect(negotiator, negotiate(negotiator, in));
        } catch (SocksRefusedException e) {
            closeAfterReply(accepted);
            throw e;
        }
    }

    private ServiceHost negotiate(SocksNegotiator negotiator, DeadlineInputStream in) throws IOException {
        if (!negotiations.tryAcquire()) {
            throw new IOException("SOCKS clients that have not sent their request: " + maxNegotiations
                    + " (expected: < " + maxNegotiations + ")");
        }
        try {
            ServiceHost host = negotiator.negotiate();
            in.end();
            return host;
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "SOCKS client: no complete request within " + negotiationTimeout.toMillis() + " ms", e);
        } finally {
            negotiations.release();
        }
    }

    private Socket connect(SocksNegotiator negotiator, ServiceHost host) throws IOException {
        PeerSocket connected;
        try {
            connected = sockets.connect(host, connectTimeout);
        } catch (IOException e) {
            negotiator.reply(replyTo(e));
            throw new SocksRefusedException(String.valueOf(e.getMessage()), e);
        }
        try {
            negotiator.reply(SocksReply.SUCCEEDED);
            return connected;
        } catch (IOException e) { // the client is gone
            connected.setSoLinger(true, 0);
            connected.close();
            throw e;
        }
    }

    static SocksReply replyTo(IOException failure) {
        if (failure.getCause() instanceof ParleyException reason && reason.code() == ErrorCode.IDENTITY_REFUSED) {
            return SocksReply.NOT_ALLOWED;
        }
        if (failure instanceof UnknownHostException
                || failure instanceof NoRouteToHostException
                || failure instanceof SocketTimeoutException) {
            return SocksReply.HOST_UNREACHABLE;
        }
        return failure instanceof ConnectException ? SocksReply.CONNECTION_REFUSED : SocksReply.GENERAL_FAILURE;
    }

    /** Closes a socket in order. A reset, which a close with unread bytes causes, could overtake the reply. */
    private static void closeAfterReply(Socket socket) {
        try (socket) {
            socket.shutdownOutput();
            InputStream rest = new DeadlineInputStream(socket, DISCARD_TIMEOUT);
            rest.readNBytes(MAX_DISCARDED_BYTES);
        } catch (IOException e) {
            log.debug("SOCKS client has not closed its end", e);
        }
    }
}
