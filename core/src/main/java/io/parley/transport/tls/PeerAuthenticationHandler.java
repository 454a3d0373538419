package io.parley.transport.tls;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.internal.PeerCertificateVerifier;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.time.Clock;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waits at the end of the pipeline for the TLS handshake, and says once who the other side has proven to be. */
final class PeerAuthenticationHandler extends ChannelInboundHandlerAdapter {

    /** A record of TLS with the fatal alert "protocol version" (RFC 8446 section 6). */
    private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 70};

    private final Clock clock;
    private final Consumer<PeerId> onProven;
    private final Consumer<ParleyException> onRefused;
    private boolean settled;

    PeerAuthenticationHandler(Clock clock, Consumer<PeerId> onProven, Consumer<ParleyException> onRefused) {
        this.clock = clock;
        this.onProven = onProven;
        this.onRefused = onRefused;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent completion && !settled) {
            if (completion.isSuccess()) {
                prove(context);
            } else {
                refuse(context, failure(completion.cause()));
            }
        }
        super.userEventTriggered(context, event);
    }

    private void prove(ChannelHandlerContext context) {
        SslHandler handler = Objects.requireNonNull(context.pipeline().get(SslHandler.class));
        PeerId peer;
        try {
            peer = PeerCertificateVerifier.authenticate(handler.engine().getSession(), clock);
        } catch (ParleyException e) {
            refuse(context, e);
            return;
        }
        settled = true;
        context.pipeline().remove(this);
        onProven.accept(peer);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (!settled) {
            refuse(context, failure(new ClosedChannelException()));
        }
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!settled) {
            refuse(context, failure(cause));
        }
    }

    private void refuse(ChannelHandlerContext context, ParleyException reason) {
        settled = true;
        onRefused.accept(reason);
        if (reason.code() == ErrorCode.PROTOCOL_VIOLATION) {
            sendAlert(context);
        }
        context.close();
    }

    /** Past the TLS handler, which has nothing to say to who does not speak TLS: it is to learn that we do. */
    private static void sendAlert(ChannelHandlerContext context) {
        context.pipeline().firstContext().writeAndFlush(Unpooled.wrappedBuffer(ALERT));
    }

    private static ParleyException failure(@Nullable Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return ErrorCode.IDENTITY_REFUSED.exception(String.valueOf(cause.getMessage()), thrown);
            }
            if (cause instanceof NotSslRecordException) {
                return ErrorCode.PROTOCOL_VIOLATION.exception(
                        "the other side does not speak TLS; plaintext has to be chosen on both sides", thrown);
            }
            if (cause instanceof SslHandshakeTimeoutException) {
                return ErrorCode.TIMEOUT.exception("the TLS handshake took too long", thrown);
            }
            if (cause instanceof ClosedChannelException) {
                return ErrorCode.UNREACHABLE.exception(
                        "the other side closed the connection during the TLS handshake; does it use plaintext?",
                        thrown);
            }
        }
        return ErrorCode.IDENTITY_REFUSED.exception(
                "TLS handshake: " + (thrown == null ? "failed" : thrown.getMessage()), thrown);
    }
}
