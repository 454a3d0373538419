package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.encoding.AesGcmEncodingScheme;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.encoding.KeyRing;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.InvalidCallException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.InputPipe;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.TopicPublisher;
import io.parley.transport.PeerAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The layer of Parley that is measured. */
enum MeasuredLayer {
    /** Services of the endpoint. */
    ENDPOINT {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            peer.endpoint().listen(ServiceAddress.of(name), received -> {
                listener.accept(received.from(), received.message());
                received.release();
            });
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            Messenger messenger = peer.endpoint().messenger(holder, ServiceAddress.of(name));
            return messenger
                    .resolve()
                    .thenApply(resolved -> new Sender(messenger::send, messenger::isWritable, messenger::whenWritable));
        }
    },

    /** Unicast pipes. */
    PIPE {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            Pipes.of(peer)
                    .listen(id(name), received -> listener.accept(received.from(), received.message()), Runnable::run);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return Pipes.of(peer)
                    .connectAsync(holder, id(name), peer.endpoint().limits().reconnectTimeout())
                    .thenApply(pipe -> new Sender(pipe::send, pipe::isWritable, pipe::whenWritable));
        }
    },

    /** Secure pipes. */
    PIPE_SECURE {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            Pipes.of(peer)
                    .secure()
                    .listen(id(name), received -> listener.accept(received.from(), received.message()), Runnable::run);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return Pipes.of(peer)
                    .secure()
                    .connectAsync(holder, id(name), peer.endpoint().limits().reconnectTimeout())
                    .thenApply(pipe -> new Sender(pipe::send, pipe::isWritable, pipe::whenWritable));
        }
    },

    /** Unicast pipes whose elements are encrypted by the peers, with a key that both have. */
    PIPE_ENCRYPTED {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            listenDecoding(peer, name, encryption(), listener);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return openEncoding(peer, holder, name, encryption());
        }
    },

    /** Unicast pipes whose elements get a checksum. */
    PIPE_CHECKSUM {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            listenDecoding(peer, name, new ChecksumScheme(), listener);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return openEncoding(peer, holder, name, new ChecksumScheme());
        }
    },

    /** Topics: the serving peer is the rendezvous where publisher and subscriber find each other. */
    TOPIC {
        @Override
        PeerBuilder serving(PeerBuilder builder) {
            return builder.actAsRendezvous();
        }

        @Override
        PeerBuilder connecting(PeerBuilder builder, PeerAddress server) {
            return builder.rendezvous(server);
        }

        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            subscribe(peer, name, SubscriptionOptions.blocking(), listener);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return CompletableFuture.supplyAsync(
                            () -> Pipes.of(peer).topic(name).openPublisher(),
                            task -> new Thread(task, "bench-publisher").start())
                    .thenCompose(publisher -> whenSubscribed(publisher, holder))
                    .thenApply(
                            publisher -> new Sender(publisher::send, publisher::isWritable, publisher::whenWritable));
        }
    },

    /** Topics whose subscribers let messages be dropped when they are slow. */
    TOPIC_DROPPING {
        @Override
        PeerBuilder serving(PeerBuilder builder) {
            return TOPIC.serving(builder);
        }

        @Override
        PeerBuilder connecting(PeerBuilder builder, PeerAddress server) {
            return TOPIC.connecting(builder, server);
        }

        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            subscribe(peer, name, SubscriptionOptions.DEFAULTS, listener);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return TOPIC.open(peer, holder, name);
        }
    },

    /** Unicast pipes with best effort, whose full queues drop the oldest messages. */
    PIPE_BEST_EFFORT {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            PIPE.listen(peer, name, listener);
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return Pipes.of(peer)
                    .withDropOldest()
                    .connectAsync(holder, id(name), peer.endpoint().limits().reconnectTimeout())
                    .thenApply(pipe -> new Sender(pipe::send, pipe::isWritable, pipe::whenWritable));
        }
    },

    /** Unicast pipes whose listeners run on the default callback executor. */
    PIPE_EXECUTOR {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            Pipes.of(peer).listen(id(name), received -> listener.accept(received.from(), received.message()));
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return PIPE.open(peer, holder, name);
        }
    },

    /** Unicast pipes that a thread reads with {@link InputPipe#receive}. */
    PIPE_RECEIVE {
        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            InputPipe input = openInput(peer, name);
            Thread receiver = new Thread(() -> receiveAll(input, listener), "bench-receiver");
            receiver.setDaemon(true);
            receiver.start();
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return PIPE.open(peer, holder, name);
        }
    },

    /** Unicast pipes that send from direct memory and borrow received payloads. */
    PIPE_BORROWED {
        @Override
        MessageElement element(byte[] bytes) {
            return MessageElement.of(
                    ELEMENT, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
        }

        @Override
        Message echo(Message received) {
            return Message.of(ELEMENT, received.elements().get(0).toByteArray());
        }

        @Override
        void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener) {
            Pipes.of(peer).listenZeroCopy(id(name), received -> listener.accept(received.from(), received.message()));
        }

        @Override
        CompletableFuture<Sender> open(Peer peer, PeerId holder, String name) {
            return PIPE.open(peer, holder, name);
        }
    };

    static final String PING = "bench-ping";
    static final String PONG = "bench-pong";

    private static final String ELEMENT = "payload";
    private static final Duration RECEIVE_TIMEOUT = Duration.ofMinutes(1);

    private static PipeId id(String name) {
        return PipeId.ofName(GroupId.NET, name);
    }

    /** Opens the input pipe that is read with {@link InputPipe#receive}. */
    static InputPipe openInput(Peer peer, String name) {
        return Pipes.of(peer).open(id(name));
    }

    /** Receives until the pipe is closed. */
    private static void receiveAll(InputPipe input, BiConsumer<PeerId, Message> listener) {
        try {
            while (!input.isClosing()) {
                input.receive(RECEIVE_TIMEOUT)
                        .ifPresent(received -> listener.accept(received.from(), received.message()));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (InvalidCallException closed) {
            // the peer has been closed
        }
    }

    private static AesGcmEncodingScheme encryption() {
        return new AesGcmEncodingScheme(KeyRing.of("bench", new byte[KeyRing.KEY_BYTES]));
    }

    private static void listenDecoding(
            Peer peer, String name, EncodingScheme scheme, BiConsumer<PeerId, Message> listener) {
        Pipes.of(peer)
                .withDecoding(scheme)
                .listen(id(name), received -> listener.accept(received.from(), received.message()), Runnable::run);
    }

    private static CompletableFuture<Sender> openEncoding(
            Peer peer, PeerId holder, String name, EncodingScheme scheme) {
        return Pipes.of(peer)
                .withEncoding(EncodingPolicy.of(scheme))
                .connectAsync(holder, id(name), peer.endpoint().limits().reconnectTimeout())
                .thenApply(pipe -> new Sender(pipe::send, pipe::isWritable, pipe::whenWritable));
    }

    private static void subscribe(
            Peer peer, String name, SubscriptionOptions options, BiConsumer<PeerId, Message> listener) {
        Pipes.of(peer)
                .topic(name)
                .subscribe(options, received -> listener.accept(received.from(), received.message()), Runnable::run);
    }

    /** Returns a future that completes when {@code subscriber} gets the messages. */
    private static CompletableFuture<TopicPublisher> whenSubscribed(TopicPublisher publisher, PeerId subscriber) {
        CompletableFuture<TopicPublisher> subscribed = new CompletableFuture<>();
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onOpened(PeerId receiver) {
                if (receiver.equals(subscriber)) {
                    subscribed.complete(publisher);
                }
            }
        });
        if (publisher.receivers().contains(subscriber)) {
            subscribed.complete(publisher);
        }
        return subscribed;
    }

    /** Returns the builder of the serving peer with what the layer needs. */
    PeerBuilder serving(PeerBuilder builder) {
        return builder;
    }

    /** Returns the builder of a connecting peer with what the layer needs. */
    PeerBuilder connecting(PeerBuilder builder, PeerAddress server) {
        return builder;
    }

    /** Returns the element of a message. */
    MessageElement element(byte[] bytes) {
        return MessageElement.of(ELEMENT, bytes);
    }

    /** Returns the echo of a received message; it may be sent after the listener has returned. */
    Message echo(Message received) {
        return received;
    }

    abstract void listen(Peer peer, String name, BiConsumer<PeerId, Message> listener);

    abstract CompletableFuture<Sender> open(Peer peer, PeerId holder, String name);

    /**
     * The methods of a messenger or a pipe that a benchmark uses.
     *
     * @param send sends a message without waiting
     * @param isWritable returns whether a message can be sent now
     * @param whenWritable returns a future that completes when a message can be sent
     */
    record Sender(Consumer<Message> send, BooleanSupplier isWritable, Supplier<CompletableFuture<Void>> whenWritable) {}
}
