/**
 * Tests for implementations of the SPIs of Parley, for projects that add a codec, an encoding scheme or a transport. Depend
 * on {@code io.parley:parley-testkit} in test scope and extend the contract suite of the SPI:
 *
 * <pre>
 *   SPI                                        contract suite
 *   io.parley.codec.MessageCodec               io.parley.testkit.codec.MessageCodecContractTest
 *   io.parley.encoding.EncodingScheme          io.parley.testkit.encoding.EncodingSchemeContractTest
 *   io.parley.transport.Transport              io.parley.testkit.transport.TransportContractTest
 *   io.parley.transport.PropagationTransport   io.parley.testkit.transport.PropagationContractTest
 * </pre>
 *
 * <p>A subclass implements the abstract methods, which return the implementation under test, and overrides the hooks that
 * describe its capabilities. The test cases are inherited:
 *
 * <pre>{@code
 * final class CborMessageCodecTest extends MessageCodecContractTest {
 *     @Override
 *     protected MessageCodec codec() {
 *         return new CborMessageCodec();
 *     }
 * }
 * }</pre>
 *
 * <p>{@link io.parley.testkit.LeakCheck} fails each test class that does not release a Netty buffer. It is registered as a
 * service; the configuration parameter {@code junit.jupiter.extensions.autodetection.enabled=true} activates it. {@link
 * io.parley.testkit.ManualScheduler} and {@link io.parley.testkit.ManualClock} make tests independent of real time. Random
 * tests use the system property {@value io.parley.testkit.TestSeed#PROPERTY} as their seed if it is set.
 */
@NullMarked
package io.parley.testkit;

import org.jspecify.annotations.NullMarked;
