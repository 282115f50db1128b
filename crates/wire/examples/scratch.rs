//! Scratch server for the conformance suite (not kept).
use std::io::{BufRead, BufReader, Read, Write};
fn main() {
    let service = singlet_wire::Service::new(singlet_engine::Database::in_memory().unwrap());
    let listener = std::net::TcpListener::bind("127.0.0.1:8077").unwrap();
    for stream in listener.incoming() {
        let service = service.clone();
        std::thread::spawn(move || {
            let stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut out = stream;
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                let (mut target, mut length) = (String::new(), 0);
                loop {
                    let mut h = String::new();
                    if reader.read_line(&mut h).unwrap_or(0) == 0 {
                        return;
                    }
                    let h = h.trim();
                    if h.is_empty() {
                        break;
                    }
                    let (k, v) = h.split_once(':').unwrap();
                    match k.to_ascii_lowercase().as_str() {
                        "x-amz-target" => target = v.trim().into(),
                        "content-length" => length = v.trim().parse().unwrap(),
                        _ => {}
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let reply = pollster::block_on(service.call(&target, &body));
                if std::env::var("SHOW").is_ok() && reply.error.is_some() {
                    eprintln!(
                        "{target} {} -> {}",
                        String::from_utf8_lossy(&body[..body.len().min(300)]),
                        String::from_utf8_lossy(&reply.body)
                    );
                }
                let _ = write!(
                    out,
                    "HTTP/1.1 {} X\r\ncontent-type: application/x-amz-json-1.0\r\nx-amzn-requestid: A\r\ncontent-length: {}\r\n\r\n",
                    reply.status,
                    reply.body.len()
                );
                let _ = out.write_all(&reply.body);
            }
        });
    }
}
