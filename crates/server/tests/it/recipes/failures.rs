//! What a shop's server does when Wishbone is slow, busy, in maintenance, or does not know its key.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::{ANN, Fixture, Language};
use crate::support::process::until;

/// What happens to the next request.
enum Fault {
    Hang,
    Respond(&'static str),
}

type Faults = Arc<Mutex<VecDeque<Fault>>>;

/// Stands before a server, and does to each request what is next in the list; without a fault it forwards the connection.
fn front(server: SocketAddr) -> (SocketAddr, Faults) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let faults = Faults::default();
    let next = Arc::clone(&faults);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let next = Arc::clone(&next);
            thread::spawn(move || serve(client, server, &next));
        }
    });
    (address, faults)
}

/// Clients may open a connection ahead of the request that it is for.
fn serve(mut client: TcpStream, server: SocketAddr, faults: &Faults) {
    let (mut request, mut part) = (Vec::new(), [0; 1024]);
    while !request.ends_with(b"useremail=ann%40example.com") {
        match client.read(&mut part) {
            Ok(length) if length > 0 => request.extend_from_slice(&part[..length]),
            _ => return,
        }
    }
    let fault = faults.lock().unwrap().pop_front();
    match fault {
        // Until the client has gone.
        Some(Fault::Hang) => drop(client.read(&mut part)),
        Some(Fault::Respond(head)) => {
            let rest = "Connection: close\r\nContent-Length: 2\r\n\r\n{}";
            let _ = client.write_all(format!("HTTP/1.1 {head}\r\n{rest}").as_bytes());
        }
        None => forward(&client, server, &request),
    }
}

fn forward(client: &TcpStream, server: SocketAddr, request: &[u8]) {
    let mut server = TcpStream::connect(server).unwrap();
    server.write_all(request).unwrap();
    for (from, to) in [(client, &server), (&server, client)] {
        let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Write);
        });
    }
}

pub fn survives(language: &Language) {
    let mut fixture = Fixture::new();
    let (address, faults) = front(fixture.server.address);
    fixture.settings.iter_mut().find(|(name, _)| *name == "WISHBONE_URL").unwrap().1 = format!("http://{address}");
    let recipe = fixture.start(language);
    let status_after = |list: Vec<Fault>| {
        *faults.lock().unwrap() = list.into();
        let status = recipe.identity(ANN).status;
        (status, faults.lock().unwrap().len())
    };
    assert_eq!(status_after(vec![Fault::Hang]), (503, 0), "a timeout");
    let long = || Fault::Respond("429 Too Many Requests\r\nRetry-After: 600");
    assert_eq!(status_after(vec![long(), long()]), (503, 1), "a page does not wait for ten minutes");
    let short = || Fault::Respond("503 Service Unavailable\r\nRetry-After: 1");
    assert_eq!(status_after(vec![short(), short(), short()]), (503, 1), "two attempts");
    let proxy = || Fault::Respond("502 Bad Gateway");
    assert_eq!(status_after(vec![proxy()]), (200, 0), "{}", recipe.log());

    let pid = fixture.shop.pid.as_str();
    fixture.setup.json(&["store", "set", pid, "--maintenance", "on"]);
    until("the store is in maintenance", || fixture.shop.me().status == 503);
    assert_eq!(recipe.identity(ANN).status, 503);
    fixture.setup.json(&["store", "set", pid, "--maintenance", "off"]);
    until("the store is back", || fixture.shop.me().status == 200);
    assert_eq!(recipe.identity(ANN).status, 200, "{}", recipe.log());

    fixture.setup.json(&["store", "rotate-key", pid]);
    until("the key is rejected", || fixture.shop.me().status == 401);
    let answer = recipe.identity(ANN);
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(!answer.body.contains("WISHBONE"), "the cause is the shop's own business: {answer:?}");
    assert!(recipe.log().contains("check WISHBONE_PID and WISHBONE_API_KEY"), "{}", recipe.log());
}
