package io.parley.pipes.internal;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Whether a pipe is {@linkplain io.parley.pipes.Pipes#secure secure}, and so are all services and messengers of its ends. */
public enum PipeSecurity {
    PLAIN,
    SECURE;

    public static PipeSecurity of(Messenger messenger) {
        return messenger.isSecure() ? SECURE : PLAIN;
    }

    /** Returns the security of the pipe that was published. */
    static PipeSecurity of(SignedAdvertisement published) {
        return published.advertisement() instanceof PipeAdvertisement pipe && pipe.pipeType() == PipeType.UNICAST_SECURE
                ? SECURE
                : PLAIN;
    }

    /** Returns the type by which a pipe is published. */
    public PipeType unicastType() {
        return this == SECURE ? PipeType.UNICAST_SECURE : PipeType.UNICAST;
    }

    /** Sends one message as {@link Endpoint#send} does. */
    public CompletableFuture<Void> send(Endpoint endpoint, PeerId peer, ServiceAddress service, Message message) {
        return this == SECURE ? endpoint.sendSecurely(peer, service, message) : endpoint.send(peer, service, message);
    }

    /** Makes the channels of a messenger secure, if the pipe is. Returns the options. */
    public MessengerOptions applyTo(MessengerOptions options) {
        return this == SECURE ? options.withSecureChannels() : options;
    }

    /** Returns a new messenger, which is secure if the pipe is. */
    public Messenger newMessenger(Endpoint endpoint, PeerId peer, ServiceAddress service) {
        return endpoint.messenger(peer, service, applyTo(MessengerOptions.DEFAULTS));
    }

    /** Makes the channels of a service secure, if the pipe is. Returns the options. */
    public ServiceOptions applyTo(ServiceOptions options) {
        return this == SECURE ? options.withSecureChannels() : options;
    }

    /** Registers a service with a window as {@link Endpoint#listen(ServiceAddress, ServiceOptions, Consumer)} does. */
    public AsyncCloseable listen(
            Endpoint endpoint, ServiceAddress service, int windowBytes, Consumer<ReceivedMessage> listener) {
        return endpoint.listen(service, applyTo(ServiceOptions.DEFAULTS.withWindowBytes(windowBytes)), listener);
    }
}
