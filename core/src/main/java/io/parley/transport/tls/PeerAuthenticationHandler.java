package io.parley.transport.tls;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.ReferenceCountUtil;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.internal.PeerCertificateVerifier;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the TLS handshake at the end of the pipeline, and reports the authenticated remote peer or the failure, once. An
 * unknown certificate chain is verified by another executor. Bytes that arrive meanwhile are kept, at most one read.
 */
final class PeerAuthenticationHandler extends ChannelInboundHandlerAdapter {

    /** A TLS record with the fatal alert "protocol version" (RFC 8446 section 6). */
    private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 70};

    private final Clock clock;
    private final Executor verifying;
    private final Consumer<PeerId> onAuthenticated;
    private final Consumer<ParleyException> onRejected;
    private final Queue<Object> kept = new ArrayDeque<>(2);
    private boolean reported;

    PeerAuthenticationHandler(
            Clock clock, Executor verifying, Consumer<PeerId> onAuthenticated, Consumer<ParleyException> onRejected) {
        this.clock = clock;
        this.verifying = verifying;
        this.onAuthenticated = onAuthenticated;
        this.onRejected = onRejected;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent completion && !reported) {
            if (completion.isSuccess()) {
                authenticate(context);
            } else {
                reject(context, failure(completion.cause()));
            }
        }
        super.userEventTriggered(context, event);
    }

    private void authenticate(ChannelHandlerContext context) {
        SslHandler tls = (SslHandler) context.pipeline().get(TlsHandlerFactory.TLS_HANDLER);
        SSLSession session = Objects.requireNonNull(tls).engine().getSession();
        PeerId known = PeerCertificateVerifier.authenticateKnown(session, clock);
        if (known != null) {
            accept(context, known);
            return;
        }
        context.channel().config().setAutoRead(false);
        try {
            CompletableFuture.supplyAsync(() -> PeerCertificateVerifier.authenticate(session, clock), verifying)
                    .whenCompleteAsync((peer, failure) -> complete(context, peer, failure), context.executor());
        } catch (RejectedExecutionException e) {
            reject(context, ErrorCode.CLOSED.exception("the transport is closed, or has too many handshakes", e));
        }
    }

    private void complete(ChannelHandlerContext context, @Nullable PeerId peer, @Nullable Throwable failure) {
        if (reported) {
            return; // the connection has ended meanwhile
        }
        if (peer != null) {
            context.channel().config().setAutoRead(true);
            try {
                accept(context, peer);
            } catch (RuntimeException | Error e) { // which the future would keep, and the connection would stay open
                context.fireExceptionCaught(e);
                context.close();
            }
        } else {
            reject(context, Throwables.toParleyException(Objects.requireNonNull(failure), ErrorCode.IDENTITY_REFUSED));
        }
    }

    private void accept(ChannelHandlerContext context, PeerId peer) {
        reported = true;
        onAuthenticated.accept(peer);
        if (!kept.isEmpty()) {
            for (Object next = kept.poll(); next != null; next = kept.poll()) {
                context.fireChannelRead(next);
            }
            context.fireChannelReadComplete();
        }
        context.pipeline().remove(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (reported) {
            context.fireChannelRead(bytes);
        } else {
            kept.add(bytes);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        for (Object next = kept.poll(); next != null; next = kept.poll()) {
            ReferenceCountUtil.release(next);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (!reported) {
            reject(context, failure(new ClosedChannelException()));
        }
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!reported) {
            reject(context, failure(cause));
        }
    }

    private void reject(ChannelHandlerContext context, ParleyException reason) {
        reported = true;
        onRejected.accept(reason);
        if (reason.code() == ErrorCode.PROTOCOL_VIOLATION) {
            sendAlert(context);
        }
        context.close();
    }

    /** Sends an alert before the TLS handler, which cannot write to a peer without TLS, so that this peer learns the cause. */
    private static void sendAlert(ChannelHandlerContext context) {
        context.pipeline().context(TlsHandlerFactory.TLS_HANDLER).writeAndFlush(Unpooled.wrappedBuffer(ALERT));
    }

    private static ParleyException failure(@Nullable Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof ParleyException reason) { // of a handler before TLS
                return reason;
            }
            if (cause instanceof CorruptedFrameException) { // of a protocol around TLS, such as WebSocket
                return ErrorCode.PROTOCOL_VIOLATION.exception("TLS handshake: " + cause.getMessage(), thrown);
            }
            if (cause instanceof CertificateException) {
                return ErrorCode.IDENTITY_REFUSED.exception(String.valueOf(cause.getMessage()), thrown);
            }
            if (cause instanceof NotSslRecordException) {
                return ErrorCode.PROTOCOL_VIOLATION.exception(
                        "TLS handshake: the remote peer does not use TLS; both peers must use the same, TLS or plaintext",
                        thrown);
            }
            if (cause instanceof SslHandshakeTimeoutException) {
                return ErrorCode.TIMEOUT.exception("TLS handshake: no completion within the handshake timeout", thrown);
            }
            if (cause instanceof ClosedChannelException) {
                return ErrorCode.UNREACHABLE.exception(
                        "TLS handshake: the remote peer closed the connection; check that it does not use plaintext",
                        thrown);
            }
            if (cause instanceof IOException && !(cause instanceof SSLException)) { // such as a reset
                return ErrorCode.UNREACHABLE.exception("TLS handshake: " + cause.getMessage(), thrown);
            }
        }
        return ErrorCode.IDENTITY_REFUSED.exception(
                "TLS handshake: " + (thrown == null ? "failed" : thrown.getMessage()), thrown);
    }
}
